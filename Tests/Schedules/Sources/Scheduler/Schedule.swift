import Foundation

/// One run of a program: exactly one virtual thread runs at a time.
///
/// `@unchecked Sendable` because only the thread that holds the baton uses the state.
package final class Schedule: @unchecked Sendable {
    /// A choice among several threads that could continue.
    struct Choice {
        let taken: Int
        let count: Int
        /// Whether another thread than the first costs a preemption.
        let isPreemption: Bool
    }

    struct Switch {
        let choice: Int
        let from: String
        let site: Site
        let to: String
        let continuesAt: Site
    }

    private struct Timer {
        let deadline: UInt64
        let number: Int
        let fire: () -> Void
    }

    nonisolated(unsafe) static var current: Schedule?
    /// Threads that live longer than a schedule, such as those of timers.
    nonisolated(unsafe) static var daemons: [VirtualThread] = []
    nonisolated(unsafe) private static var lastNumber = 0

    let number: Int
    private(set) var isAbandoned = false
    private(set) var failure: String?
    private(set) var choices: [Choice] = []
    private(set) var switches: [Switch] = []
    private(set) var pointCount = 0
    /// The time in nanoseconds.
    private(set) var time: UInt64 = 1_000_000_000_000

    private var strategy: any Strategy
    private let recordsSwitches: Bool
    /// Nil unless the strategy needs it.
    private(set) var conflicts: Conflicts?
    /// The last choice, if nothing has happened since.
    private var lastChoice: Int?
    /// The state of the Swift runtime, which Swift tasks and cancellations change.
    let runtime = SharedObject()
    private var threads: [VirtualThread] = []
    private var timers: [Timer] = []
    private var timerCount = 0
    private var lastID = 0
    /// How often a thread has continued or a timer has fired.
    private var progress = 0
    private var programEndTime: UInt64?
    private let main = Runner()
    private var hasEnded = false

    private static let mostPoints = 60_000
    /// How many seconds a program may wait for time to pass.
    private static let longestWait: UInt64 = 3_600_000_000_000
    private static let mostTimers = 3_000

    init(_ strategy: any Strategy, recordsSwitches: Bool = false, findsConflicts: Bool = false) {
        Schedule.lastNumber += 1
        number = Schedule.lastNumber
        if findsConflicts { conflicts = Conflicts(schedule: number) }
        self.strategy = strategy
        self.recordsSwitches = recordsSwitches
    }

    /// Runs a program to its end.
    func run(_ program: @escaping (World) -> Void) {
        Hooks.install()
        let world = World(self)
        for daemon in Schedule.daemons {
            lastID += 1
            daemon.move(to: self, id: lastID)
            threads.append(daemon)
        }
        Schedule.current = self
        let first = makeThread("main") { program(world) }
        Runner.start(first)
        var last = -1
        while !main.wait(seconds: 20) {
            if pointCount == last {
                fail("A thread is blocked outside of the scheduler.\n\(report())")
                abandon()
                break
            }
            last = pointCount
        }
        Schedule.current = nil
        timers = []
        let failure = world.end()
        if let failure, !isAbandoned { fail(failure) }
    }

    // MARK: Failures

    func fail(_ text: String) { if failure == nil { failure = text } }

    private func abandon() {
        isAbandoned = true
        Schedule.daemons = Schedule.daemons.filter { $0.waitsFor != nil && !$0.hasEnded }
    }

    /// The unfinished threads and the positions at which they wait.
    private func report() -> String {
        threads.filter { !$0.hasEnded && !$0.isDaemon }
            .map { "  \($0.name) is at \($0.site.text)\($0.isReady ? "" : ", waiting")" }
            .joined(separator: "\n")
    }

    // MARK: Threads

    @discardableResult
    func makeThread(_ name: String, _ body: @escaping () -> Void) -> VirtualThread {
        lastID += 1
        let thread = VirtualThread(id: lastID, name: name, schedule: self, body: body)
        if let conflicts {
            thread.clock =
                isFiring ? conflicts.everything : VirtualThread.current?.clock ?? Clock()
        }
        threads.append(thread)
        return thread
    }

    func makeDaemon(_ name: String, _ body: @escaping () -> Void) {
        let thread = makeThread(name, body)
        thread.isDaemon = true
        Schedule.daemons.append(thread)
    }

    // MARK: Points

    /// Lets the strategy decide which thread continues.
    func point(_ me: VirtualThread, _ site: Site) {
        note(me, site)
        guard me.unswitchable == 0 else { return }
        // A thread that reads the same place again and again waits for another thread.
        if me.repetitions > 8 { return yield(me, site) }
        (lastChoice, me.turn.choice) = (nil, nil)
        guard threads.count > 1 else { return }
        let others = runnable(after: me)
        guard !others.isEmpty else { return }
        let choice = choose([me] + others, isPreemption: true)
        me.turn.choice = lastChoice
        if choice > 0 { change(from: me, to: others[choice - 1]) }
    }

    /// Lets another thread run, if there is one.
    func yield(_ me: VirtualThread, _ site: Site) {
        note(me, site)
        guard me.unswitchable == 0 else { return }
        strategy.yielded(me)
        (lastChoice, me.turn.choice) = (nil, nil)
        let others = runnable(after: me)
        guard let first = others.first else {
            advanceTime(by: 1_000)
            return
        }
        let choice = others.count == 1 ? 0 : choose(others, isPreemption: true)
        change(from: me, to: choice == 0 ? first : others[choice])
    }

    private func note(_ me: VirtualThread, _ site: Site) {
        pointCount += 1
        me.pointCount += 1
        if me.site.line == site.line, me.site.file.utf8Start == site.file.utf8Start {
            me.repetitions += 1
        } else {
            me.repetitions = 0
        }
        me.site = site
        if pointCount > Self.mostPoints { stop("More than \(Self.mostPoints) points") }
    }

    /// Blocks a thread until it is made ready.
    func block(_ me: VirtualThread, on object: AnyObject?, until condition: (() -> Bool)? = nil) {
        me.isReady = false
        me.waitsFor = object.map { ObjectIdentifier($0) }
        me.condition = condition
        if let next = findNext(after: me) {
            if next !== me { change(from: me, to: next) } else { me.turn = Turn() }
        } else {
            // The schedule has ended. A daemon continues in the next one.
            me.runner?.wait()
            if me.schedule.isAbandoned { Runner.stop() }
        }
        (me.isReady, me.waitsFor, me.condition) = (true, nil, nil)
    }

    /// Whether a condition holds, which the thread has waited for or need not wait for.
    func holds(_ condition: @escaping () -> Bool, for me: VirtualThread) -> Bool {
        guard isTrue(condition) else { return false }
        if let seen = conflicts?.condition { me.clock.join(seen) }
        return true
    }

    /// Blocks a thread until no other thread can run.
    func waitUntilOthersWait(_ me: VirtualThread) {
        (me.isReady, me.idlePoint) = (false, progress)
        guard let next = findNext(after: me) else { Runner.stop() }
        if next !== me { change(from: me, to: next) } else { me.turn = Turn() }
        (me.isReady, me.idlePoint) = (true, nil)
    }

    func makeReady(waitingFor object: AnyObject) {
        let id = ObjectIdentifier(object)
        for thread in threads where thread.waitsFor == id { thread.isReady = true }
    }

    func makeFirstReady(waitingFor object: AnyObject) -> Bool {
        let id = ObjectIdentifier(object)
        guard let thread = threads.first(where: { $0.waitsFor == id && !$0.isReady }) else {
            return false
        }
        thread.isReady = true
        return true
    }

    /// Passes the baton on, because a thread has ended.
    func threadEnded(_ me: VirtualThread) {
        guard !isAbandoned else { return }
        threads.removeAll { $0 === me }
        if me.isDaemon { Schedule.daemons.removeAll { $0 === me } }
        guard let next = findNext(after: me) else { return }
        continueOn(next)
    }

    // MARK: Choosing

    private func runnable(after me: VirtualThread) -> [VirtualThread] {
        var earlier: [VirtualThread] = []
        var later: [VirtualThread] = []
        for thread in threads where thread !== me {
            guard thread.isReady || isTrue(thread.condition) else { continue }
            if thread.id > me.id { later.append(thread) } else { earlier.append(thread) }
        }
        return later + earlier
    }

    /// Evaluates a condition without points.
    private func isTrue(_ condition: (() -> Bool)?) -> Bool {
        guard let condition else { return false }
        conflicts?.conditionBegins()
        isEvaluating = true
        defer { isEvaluating = false }
        return condition()
    }

    /// Whether points are passed over.
    private(set) var isEvaluating = false

    /// The next thread when `me` cannot continue.
    ///
    /// Nil if the schedule has ended.
    private func findNext(after me: VirtualThread) -> VirtualThread? {
        while true {
            lastChoice = nil
            let others = runnable(after: me)
            if let first = others.first {
                guard others.count > 1 else { return first }
                return others[choose(others, isPreemption: false)]
            }
            // A timer may have made the thread itself ready.
            if !me.hasEnded, me.isReady || isTrue(me.condition) { return me }
            let idle = threads.first { $0.idlePoint.map { $0 < progress } ?? false }
            if let idle {
                joinAll()
                return idle
            }
            if !passTime() { return nil }
        }
    }

    private func choose(_ options: [VirtualThread], isPreemption: Bool) -> Int {
        let taken = min(strategy.choose(options, isPreemption: isPreemption), options.count - 1)
        choices.append(Choice(taken: taken, count: options.count, isPreemption: isPreemption))
        conflicts?.choiceMade(among: options, taken: taken)
        lastChoice = choices.count - 1
        CrashLog.add(taken)
        return taken
    }

    private func change(from me: VirtualThread, to next: VirtualThread) {
        if recordsSwitches {
            switches.append(
                Switch(
                    choice: choices.count,
                    from: me.name,
                    site: me.site,
                    to: next.name,
                    continuesAt: next.site
                )
            )
        }
        continueOn(next)
        me.runner?.wait()
        if me.schedule.isAbandoned { Runner.stop() }
    }

    private func continueOn(_ thread: VirtualThread) {
        progress += 1
        thread.turn = Turn(choice: lastChoice, block: lastChoice)
        if let runner = thread.runner { runner.pass() } else { Runner.start(thread) }
    }

    // MARK: Conflicts

    /// Whether a timer is firing, so no thread runs.
    private var isFiring = false

    /// Records that the current thread accesses something that others may access.
    func access(_ object: SharedObject, isWrite: Bool = true) {
        guard conflicts != nil else { return }
        if isFiring {
            conflicts?.fired(object)
        } else if isEvaluating {
            conflicts?.conditionReads(object)
        } else if let me = VirtualThread.current {
            conflicts?.accessed(object, isWrite: isWrite, by: me)
        }
    }

    func released(_ object: SharedObject, by me: VirtualThread) {
        conflicts?.released(object, by: me)
    }

    /// Records that all that has happened comes before whatever happens next.
    ///
    /// No thread can run at this point.
    private func joinAll() {
        guard let conflicts else { return }
        for thread in threads { thread.clock.join(conflicts.everything) }
    }

    // MARK: Time

    /// The number of points of a thread.
    func points(of id: Int) -> Int { threads.first { $0.id == id }?.pointCount ?? 0 }

    func advanceTime(by nanoseconds: UInt64) { time += nanoseconds }

    func addTimer(after nanoseconds: UInt64, _ fire: @escaping () -> Void) {
        timerCount += 1
        let (deadline, isNever) = time.addingReportingOverflow(nanoseconds)
        if isNever || nanoseconds > Self.longestWait * 24 { return }
        timers.append(Timer(deadline: deadline, number: timerCount, fire: fire))
    }

    /// Fires the next timer, because no thread can run.
    ///
    /// Returns false if the schedule has ended.
    private func passTime() -> Bool {
        let isProgramOver = threads.allSatisfy(\.isDaemon)
        if isProgramOver, programEndTime == nil { programEndTime = time }
        let horizon = programEndTime.map { $0 + 1_000_000_000 } ?? Self.longestWait * 2
        let next = timers.indices.min {
            (timers[$0].deadline, timers[$0].number) < (timers[$1].deadline, timers[$1].number)
        }
        guard let next, timers[next].deadline <= horizon, timerCount < Self.mostTimers else {
            if !isProgramOver {
                fail("No thread can continue.\n\(report())")
                abandon()
            }
            end()
            return false
        }
        let timer = timers.remove(at: next)
        time = max(time, timer.deadline)
        joinAll()
        isFiring = true
        timer.fire()
        isFiring = false
        progress += 1
        return true
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        main.pass()
    }

    /// Ends the schedule at once, from one of its threads.
    private func stop(_ text: String) -> Never {
        fail("\(text)\n\(report())")
        abandon()
        end()
        Runner.stop()
    }
}
