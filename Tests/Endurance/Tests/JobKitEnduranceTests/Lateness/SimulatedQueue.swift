@testable import JobKit

/// A queue on simulated cores that uses the real ``WorkerPool``.
///
/// It shows the lateness of operations and its cost.
final class SimulatedQueue {
    typealias Nanoseconds = SimulatedCores.Nanoseconds

    /// The behavior of an operation.
    enum Work {
        case working(Nanoseconds)
        case blocking(Nanoseconds)
        /// Adds another operation like itself and continues to work, `count` times in all.
        case addingAndWorking(Nanoseconds, count: Int)
        /// Adds a tiny operation after each stretch of work, `count` times.
        case addingTinyOnes(Nanoseconds, count: Int)
        /// Works, and its callback adds another operation like itself, `count` times in all.
        case workingAndGoingOn(Nanoseconds, count: Int)
    }

    /// The actions of the adding thread.
    enum Line {
        case add(Work, count: Int = 1, isCounted: Bool = true)
        case waitForAll
        case pause(Nanoseconds)
    }

    /// Costs in nanoseconds, similar to those on two cores under Linux.
    private enum Cost {
        static let add: Nanoseconds = 700
        static let lock: Nanoseconds = 100
        static let operation: Nanoseconds = 600
        /// The cost for the waking thread, then for the awakened one.
        ///
        /// A core may be asleep.
        static let wake: Nanoseconds = 4_000
        static let wakes: [Nanoseconds] = [15_000, 70_000, 25_000, 15_000]
        static let leave: Nanoseconds = 2_000
    }

    private struct Entry {
        let work: Work
        let added: Nanoseconds
        let isCounted: Bool
    }

    private struct Worker {
        let thread: Int
        var isAtWork = false
        var isBlocked = false
        var began = 0
        /// The time at which it entered its operation.
        var since: Nanoseconds = 0
        /// The last sample of the worker.
        var sample: (time: Nanoseconds, used: Nanoseconds, began: Int) = (0, 0, 0)
    }

    let cores: SimulatedCores
    private(set) var pool: WorkerPool
    private let concurrencyLimit: Int
    private var lines: [Line]
    private let adder: Int
    private var isAdderWaiting = false
    private var workers: [Worker] = []
    private var entries: [Entry] = []
    private var executing = 0
    private(set) var startCount = 0
    private var lockIsFree: Nanoseconds = 0
    private var lastSample: Nanoseconds = 0

    /// The times from addition to start, for the operations that count.
    private(set) var latenesses: [Nanoseconds] = []
    private(set) var callCount = 0
    private(set) var lookCount = 0

    init(cores count: Int, concurrencyLimit: Int = .max, _ lines: [Line]) {
        cores = SimulatedCores(count: count)
        pool = WorkerPool(cores: max(2, count), limit: TaskQueueShell.threadLimit)
        (self.concurrencyLimit, self.lines) = (concurrencyLimit, lines.reversed())
        adder = cores.makeThread()
    }

    /// Runs the simulation until all operations were added and have finished.
    func run() {
        cores.wake(adder) { self.nextLine() }
        cores.run { lines.isEmpty && startCount == entries.count && executing == 0 }
        latenesses.sort()
    }

    /// Returns a quantile of the lateness, in nanoseconds.
    func lateness(_ part: Double) -> Nanoseconds {
        latenesses.isEmpty ? 0 : latenesses[Int(Double(latenesses.count - 1) * part)]
    }

    private var startable: Int {
        max(0, min(entries.count - startCount, concurrencyLimit - executing))
    }

    /// Spends some time on the thread, then runs `body` under the queue's only lock.
    private func lock(
        after time: Nanoseconds,
        on thread: Int,
        then body: @escaping () -> Void
    ) {
        cores.spend(time, on: thread) { [self] in
            lockIsFree = max(cores.now, lockIsFree) + Cost.lock
            cores.spend(lockIsFree - cores.now, on: thread, then: body)
        }
    }

    // MARK: The adding thread

    private func nextLine() {
        switch lines.popLast() {
        case nil:
            cores.sleep(adder)
        case .pause(let time):
            cores.sleep(adder)
            cores.after(time) { [self] in cores.wake(adder) { self.nextLine() } }
        case .waitForAll:
            guard startCount < entries.count || executing > 0 else { return nextLine() }
            isAdderWaiting = true
            cores.sleep(adder)
        case .add(let work, let count, let isCounted):
            if count > 1 { lines.append(.add(work, count: count - 1, isCounted: isCounted)) }
            add(work, isCounted: isCounted, by: .other, on: adder) { self.nextLine() }
        }
    }

    private func add(
        _ work: Work,
        isCounted: Bool,
        by caller: WorkerPool.Caller,
        on thread: Int,
        then next: @escaping () -> Void
    ) {
        let added = cores.now
        lock(after: Cost.add, on: thread) { [self] in
            entries.append(Entry(work: work, added: added, isCounted: isCounted))
            follow(pool.wakeAction(startable: startable, by: caller), on: thread, then: next)
        }
    }

    // MARK: Wake-ups

    private func follow(
        _ action: WorkerPool.WakeAction,
        on thread: Int,
        then next: @escaping () -> Void
    ) {
        var cost: Nanoseconds = 0
        if action.monitors { monitor() }
        if let index = action.worker {
            cost = Cost.wake
            self.wake(index, after: cost)
        }
        cores.spend(cost, on: thread, then: next)
    }

    private func wake(_ index: Int, after time: Nanoseconds) {
        callCount += 1
        if index == workers.count { workers.append(Worker(thread: cores.makeThread())) }
        cores.after(time + Cost.wakes[callCount % Cost.wakes.count]) { [self] in
            cores.wake(workers[index].thread) { self.come(index) }
        }
    }

    // MARK: Workers

    private func come(_ index: Int) {
        let thread = workers[index].thread
        workers[index].isAtWork = true
        workers[index].began = 0
        workers[index].since = cores.now
        workers[index].sample = (cores.now, cores.used(by: thread), 0)
        lock(after: Cost.lock, on: thread) { [self] in
            pool.workerArrived()
            takeNext(index)
        }
    }

    private func takeNext(_ index: Int) {
        guard !pool.hasTooMany, startable > 0 else {
            pool.searchBegan()
            return search(index, from: cores.now)
        }
        let entry = entries[startCount]
        startCount += 1
        executing += 1
        follow(pool.wakeAction(startable: startable, by: .other), on: workers[index].thread) {
            [self] in
            workers[index].began += 1
            workers[index].since = cores.now
            if entry.isCounted { latenesses.append(cores.now - entry.added) }
            perform(entry.work, index)
        }
    }

    private func search(_ index: Int, from begin: Nanoseconds) {
        cores.spend(WorkerPool.searchTime, on: workers[index].thread) {
            self.searched(index, from: begin)
        }
    }

    private func searched(_ index: Int, from begin: Nanoseconds) {
        let thread = workers[index].thread
        lock(after: 0, on: thread) { [self] in
            pool.measure(at: cores.now, startCount: startCount)
            if !pool.hasTooMany, startable == 0, pool.searchContinues(after: cores.now - begin) {
                return search(index, from: begin)
            }
            pool.searchEnded()
            guard pool.hasTooMany || startable == 0 else { return takeNext(index) }
            workers[index].isAtWork = false
            let hasStarted = workers[index].began > 0
            let action = pool.workerLeft(index, startable: startable, hasStarted: hasStarted)
            follow(action, on: thread) { [self] in
                cores.spend(Cost.leave, on: thread) { [self] in cores.sleep(thread) }
            }
        }
    }

    private func perform(_ work: Work, _ index: Int) {
        let thread = workers[index].thread
        switch work {
        case .working(let time):
            cores.spend(time, on: thread) { self.end(index) }
        case .blocking(let time):
            workers[index].isBlocked = true
            cores.sleep(thread)
            cores.after(time) { [self] in
                workers[index].isBlocked = false
                cores.wake(thread) { self.end(index) }
            }
        case .addingAndWorking(let time, let count):
            guard count > 0 else { return end(index) }
            let next = Work.addingAndWorking(time, count: count - 1)
            add(next, isCounted: true, by: .workerInOperation, on: thread) { [self] in
                cores.spend(time, on: thread) { self.end(index) }
            }
        case .addingTinyOnes(let time, let count):
            guard count > 0 else { return end(index) }
            cores.spend(time, on: thread) { [self] in
                add(.working(200), isCounted: true, by: .workerInOperation, on: thread) {
                    self.perform(.addingTinyOnes(time, count: count - 1), index)
                }
            }
        case .workingAndGoingOn(let time, let count):
            guard count > 0 else { return end(index) }
            let next = Work.workingAndGoingOn(time, count: count - 1)
            cores.spend(time, on: thread) { [self] in
                let caller = WorkerPool.Caller.workerBetweenOperations
                add(next, isCounted: true, by: caller, on: thread) { self.end(index) }
            }
        }
    }

    private func end(_ index: Int) {
        lock(after: Cost.operation, on: workers[index].thread) { [self] in
            executing -= 1
            if isAdderWaiting, executing == 0, startCount == entries.count {
                isAdderWaiting = false
                cores.after(Cost.wakes[0]) { [self] in cores.wake(adder) { self.nextLine() } }
            }
            takeNext(index)
        }
    }

    // MARK: Samples

    private func monitor() {
        lastSample = cores.now
        cores.after(WorkerPoolSizer.shortestPause) { self.sample() }
    }

    private func sample() {
        lookCount += 1
        var sample = WorkerPoolSizer.Sample(time: cores.now - lastSample)
        lastSample = cores.now
        for index in workers.indices where workers[index].isAtWork {
            let (before, worker) = (workers[index].sample, workers[index])
            let used = cores.used(by: worker.thread)
            let mayWait = WorkerPoolSizer.mayWait(
                time: cores.now - before.time,
                used: used - before.used,
                began: worker.began - before.began
            )
            sample.used += used - before.used
            if mayWait {
                sample.waiting += worker.isBlocked ? 1 : 0
            } else if cores.now - worker.since >= 50_000_000 {
                sample.busy += 1
            }
            workers[index].sample = (cores.now, used, worker.began)
        }
        sample.active = pool.active
        (sample.startable, sample.startCount) = (startable, startCount)
        let (woken, pause) = pool.sampled(sample, at: cores.now)
        for index in woken { wake(index, after: 0) }
        if let pause { cores.after(pause) { self.sample() } }
    }
}
