import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

/// A running world with its queues, its objects and the observations.
final class World: Sendable {
    let plan: WorldPlan
    /// Counts the jobs and tasks that exist.
    let living: Kept
    let clock = ManualClock()
    let books = EventBooks()
    let recorder = TimelineRecorder(limit: 60)
    let one = TaskQueue(name: "one", maxConcurrentOperationCount: 1)
    let few: TaskQueue
    /// The queue for the barriers of chaos.
    ///
    /// No task of a job may wait behind them for its own job.
    let side = TaskQueue(name: "side", maxConcurrentOperationCount: 2)
    let ordered = OrderedQueue()
    let rated: RateLimitedQueue
    private let rateNotes: RateNotes
    let keyed: KeyedQueue<String>
    let foundation = OperationQueue()
    let narrowFoundation = OperationQueue()
    /// Ends the tasks that wait during `explainStall`.
    let watched: Watched
    private let gauges: [WorldQueue: Gauge]
    /// Count the tasks of each key, and all tasks of the keyed queue (X1).
    private let keyGauges = ["a": Gauge(limit: 1), "b": Gauge(limit: 1)]
    private let keyedGauge: Gauge
    private let numbers = Atomic(0)
    /// The current wait of the world.
    private let stage = Guarded("chaos")
    private let seen = Guarded(Seen())

    private struct Seen {
        var jobs: [WorldJob] = []
        var tasks: [Operation] = []
        var complaints: [String] = []
        // If `main()` of a job still runs after the job's completion, it may create tasks. They
        // retain the world, so the world must not retain them.
        var isOver = false
    }

    init(_ plan: WorldPlan, living: Kept) {
        self.plan = plan
        self.living = living
        few = TaskQueue(name: "few", maxConcurrentOperationCount: plan.width)
        narrowFoundation.maxConcurrentOperationCount = 2
        let (limit, interval) = (2, Duration.microseconds(plan.rateMicroseconds))
        rateNotes = RateNotes(TaskQueue.shared, limit: limit, per: interval)
        rated = RateLimitedQueue(rateNotes, limit: limit, per: interval)
        keyed = KeyedQueue(
            TaskQueue.shared,
            name: "keyed",
            maxConcurrentOperationCount: plan.width
        )
        keyedGauge = Gauge(limit: plan.width)
        watched = Watched(isOver: !plan.isAsked)
        gauges = [
            .one: Gauge(limit: 1), .few: Gauge(limit: plan.width),
            .narrowFoundation: Gauge(limit: 2), .ordered: Gauge(limit: 1),
        ]
    }

    func queue(_ queue: WorldQueue) -> any OperationScheduling {
        switch queue {
        case .one: one
        case .few: few
        case .shared: TaskQueue.shared
        case .rated: rated
        case .ordered: ordered
        case .foundation: foundation
        case .narrowFoundation: narrowFoundation
        case .keyA, .keyB, .bothKeys: keyed.keyed(queue.keys)
        }
    }

    /// The gauges that count the executing tasks of a queue.
    func gauges(of queue: WorldQueue) -> [Gauge] {
        guard queue.keys.isEmpty else {
            return queue.keys.compactMap { keyGauges[$0] } + [keyedGauge]
        }
        return gauges[queue].map { [$0] } ?? []
    }

    /// The queues that chaos may limit and suspend.
    var taskQueues: [TaskQueue] { [one, few, side] }

    /// The queues that chaos may suspend and cancel.
    var pausedQueues: [TaskQueue] { [one, few, side, ordered.queue] }

    // MARK: Observations

    var jobs: [WorldJob] { seen.withLock { $0.jobs } }

    var tasks: [Operation] { seen.withLock { $0.tasks } }

    func nextNumber() -> Int { numbers.add(1, ordering: .relaxed).newValue }

    func add(_ job: WorldJob) { seen.withLock { if !$0.isOver { $0.jobs.append(job) } } }

    func add(_ task: Operation) { seen.withLock { if !$0.isOver { $0.tasks.append(task) } } }

    func complain(_ text: String) { seen.withLock { $0.complaints.append(text) } }

    private func complaints() -> [String] {
        for (queue, gauge) in gauges where gauge.wasExceeded {
            complain("Q1: too many execute in \(queue)")
        }
        for (key, gauge) in keyGauges where gauge.wasExceeded {
            complain("X1: two execute with the key \(key)")
        }
        if keyedGauge.wasExceeded { complain("X1: too many execute in the keyed queue") }
        let left = keyed.operationCount + keyed.operations(for: "a").count
        if left > 0 { complain("X6: \(left) operations are left in the keyed queue") }
        for job in jobs { for text in job.complaints() { complain(text) } }
        for text in books.complaints { complain("R2: \(text)") }
        if let text = rateNotes.complaint { complain(text) }
        for task in tasks {
            guard let task = task as? ConcurrentOperation, task.isFinished else { continue }
            if task.outcome == nil {
                complain("O3: \(task.name ?? "") finished without an outcome")
            }
            if let task = task as? WorldTask, !task.hasEnded {
                complain("O12: \(task.name ?? "") finished without willFinish()")
            }
            if case .cancelled? = task.outcome, !task.isCancelled {
                complain("O3: \(task.name ?? "") ended cancelled and is not cancelled")
            }
        }
        return seen.withLock { $0.complaints }
    }

    // MARK: Running

    /// Runs the world to its end, and returns the violations of the contract.
    func run() async -> [String] {
        let root = WorldJob(plan.root, above: nil, in: self)
        root.addObserver(books)
        root.addObserver(recorder)
        let reader = read(root.events(bufferingNewest: 50))
        let launch = plan.launch.map { WorldLaunch($0, in: self) }
        launch?.begin()
        let chaos = DispatchGroup()
        for calls in plan.chaos {
            chaos.enter()
            Thread.detachNewThread {
                for call in calls {
                    Delay(spins: call.spins).pass()
                    call.make(in: self)
                    if let launch { call.callLaunch(launch, self) }
                }
                chaos.leave()
            }
        }
        if plan.isAsked { ask(root, chaos) }
        let ended = Gate()
        // `waitForFinish()` returns at once if the root is cancelled before its start.
        root.completionBlock = { ended.open() }
        root.startJob(on: queue(plan.root.queue))
        await withCheckedContinuation { continuation in
            chaos.notify(queue: .global()) { continuation.resume() }
        }
        calm()
        stage.withLock { $0 = "the root" }
        await ended.waitUntilOpen()
        stage.withLock { $0 = "the reader of the root's events" }
        await reader.value
        stage.withLock { $0 = "the jobs" }
        // Waits for jobs that were left running, and for the jobs that these track in the meantime.
        while let left = jobs.first(where: \.isUnderWay) { await left.waitForFinish() }
        for queue in pausedQueues {
            stage.withLock { $0 = queue.name }
            await queue.waitForAllOperations()
        }
        stage.withLock { $0 = keyed.name }
        await keyed.waitForAllOperations()
        stage.withLock { $0 = "the launch" }
        await launch?.end()
        ordered.clear()
        let found = complaints()
        seen.withLock { seen in
            seen.isOver = true
            seen.jobs = []
            seen.tasks = []
        }
        return found
    }

    /// Reads events until the stream ends.
    ///
    /// The last event must be the job's own completion.
    private func read(_ events: AsyncStream<JobEvent>) -> Task<Void, Never> {
        Task {
            var hasFinished = false
            for await event in events {
                if hasFinished { complain("R2: an event is read behind the root's finish") }
                hasFinished = event.kind == .finished && event.parentID == nil
            }
        }
    }

    /// Calls `explainStall` until the root has finished.
    private func ask(_ root: WorldJob, _ chaos: DispatchGroup) {
        chaos.enter()
        Thread.detachNewThread {
            for turn in 0..<2_000 where !root.isFinished {
                let jobs = self.jobs
                // Jobs that wait for another job's tasks have the longest explanations.
                let waiting = jobs.filter { $0.outside.contains { !$0.isFinished } }
                if !waiting.isEmpty, turn % 4 == 0 { self.watched.endOne() }
                for job in waiting { _ = job.explainStall() }
                if turn % 8 == 0, !jobs.isEmpty { _ = jobs[turn / 8 % jobs.count].explainStall() }
                giveWay()
            }
            self.watched.endAll()
            chaos.leave()
        }
    }

    /// Resumes everything that chaos has suspended.
    private func calm() {
        for queue in pausedQueues { queue.isSuspended = false }
        keyed.isSuspended = false
        foundation.isSuspended = false
        narrowFoundation.isSuspended = false
        for job in jobs {
            job.expectResume()
            job.isSuspended = false
        }
        clock.advance(by: .seconds(1))
    }

    /// Explains why the world has not ended.
    var explanation: String {
        let open = jobs.filter { !$0.isFinished }
        let accounts = open.map { "\($0.explainStall(limit: 20)) \($0.account)" }
        return ([stage.withLock { "waits for \($0)" }] + accounts).joined(separator: "\n")
    }
}
