import Foundation
import RuntimeHooks

/// The functions that the substitutes of locks, atomics and queues call.
package enum Control {
    /// The virtual thread that the caller runs.
    ///
    /// Nil outside of schedules.
    static var thread: VirtualThread? {
        guard let thread = VirtualThread.current, !thread.schedule.isEvaluating else { return nil }
        return thread
    }

    /// A place at which another thread may continue.
    package static func point(_ file: StaticString, _ line: UInt) {
        guard let me = thread else { return }
        me.schedule.point(me, Site(file, line))
    }

    /// Records an access of the calling thread, or of the condition that is evaluated.
    static func access(_ object: SharedObject, isWrite: Bool = true) {
        VirtualThread.current?.schedule.access(object, isWrite: isWrite)
    }

    /// Records that the calling thread changes the state of a Swift task.
    package static func touchRuntime() {
        if let me = VirtualThread.current { me.schedule.access(me.schedule.runtime) }
    }

    /// A place at which the caller waits for another thread without a lock.
    package static func yield(_ file: StaticString, _ line: UInt) {
        guard let me = thread else {
            sched_yield()
            return
        }
        me.schedule.yield(me, Site(file, line))
    }

    /// Runs code in which no other thread continues unless it must wait.
    package static func withoutSwitch<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let me = thread else { return try body() }
        me.schedule.access(me.schedule.runtime)
        me.unswitchable += 1
        defer { me.unswitchable -= 1 }
        return try body()
    }

    package static func detachDaemon(_ name: String, _ body: @escaping @Sendable () -> Void) {
        if let me = thread {
            me.schedule.makeDaemon(name, body)
        } else {
            Thread.detachNewThread(body)
        }
    }

    /// The time of a schedule.
    ///
    /// Each reading takes a microsecond.
    package static var nanoseconds: UInt64 {
        guard let me = VirtualThread.current else {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
        if !me.schedule.isEvaluating { me.schedule.advanceTime(by: 1_000) }
        return me.schedule.time
    }

    package static func clockOfThread() -> clockid_t? {
        VirtualThread.current.map { 1_000_000 + clockid_t($0.id) }
    }

    /// The time of a system clock, or the number of points of a virtual thread.
    package static func time(of clock: clockid_t) -> timespec? {
        guard let me = VirtualThread.current else { return nil }
        var time = nanoseconds
        if clock >= 1_000_000 {
            let count = me.schedule.points(of: Int(clock) - 1_000_000)
            time = UInt64(count) * 1_000
        }
        return timespec(
            tv_sec: Int(time / 1_000_000_000),
            tv_nsec: Int(time % 1_000_000_000)
        )
    }
}

/// The Swift runtime's jobs as virtual threads.
enum Hooks {
    private static let installed: Void = {
        setJobHandler { job, delay, isForMainActor in
            guard let job, let me = VirtualThread.current, Schedule.current != nil else {
                return false
            }
            let address = UInt(bitPattern: job)
            let schedule = me.schedule
            let run: () -> Void = {
                Control.touchRuntime()
                runJob(UnsafeMutableRawPointer(bitPattern: address))
            }
            if isForMainActor {
                DispatchQueue.main.enqueue(schedule, run)
            } else if delay > 0 {
                schedule.addTimer(after: UInt64(delay)) { schedule.makeThread("Swift task", run) }
            } else {
                schedule.makeThread("Swift task", run)
            }
            return true
        }
        CrashLog.install()
    }()

    static func install() { installed }
}

/// The choices of the current schedule, printed if the process crashes.
enum CrashLog {
    private static let size = 1 << 16
    nonisolated(unsafe) private static let taken = UnsafeMutablePointer<UInt8>
        .allocate(
            capacity: size
        )
    nonisolated(unsafe) private static var count = 0
    nonisolated(unsafe) private static var title = strdup("")
    nonisolated(unsafe) private static var number = 0

    static func begin(_ name: String, number: Int) {
        count = 0
        self.number = number
        free(title)
        title = strdup(name)
    }

    static func add(_ choice: Int) {
        guard count < size else { return }
        taken[count] = UInt8(clamping: choice)
        count += 1
    }

    static func install() {
        setCrashHandler { signal in
            CrashLog.report()
            raise(signal)
        }
    }

    private static func report() {
        var text = "\n" + (title.map { String(cString: $0) } ?? "")
        text += " crashed in schedule \(number): JOBKIT_SCHEDULE='"
        text += Choices.text((0..<count).map { Int(taken[$0]) }) + "'\n"
        text.withCString { _ = write(2, $0, strlen($0)) }
    }
}

/// The choices of a schedule as text, as in `6:2,14:1`: at the 6th choice the 2nd other thread.
enum Choices {
    static func text(_ choices: [Int]) -> String {
        text(
            Dictionary(
                uniqueKeysWithValues: choices.enumerated().filter { $1 > 0 }.map { ($0, $1) }
            )
        )
    }

    static func text(_ choices: [Int: Int]) -> String {
        choices.sorted { $0.key < $1.key }.map { "\($0):\($1)" }.joined(separator: ",")
    }

    static func parse(_ text: String) -> [Int: Int] {
        let pairs = text.split(separator: ",")
            .map { $0.split(separator: ":").compactMap { Int($0) } }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    }
}
