import Foundation
import JobKit
import Synchronization

// Operation forces @unchecked. The properties are used in callbacks, which J1 makes serial, and
// after the job has ended. State that other threads use is atomic.
/// Performs random actions of a job, and records every callback.
final class StressJob: JobController, @unchecked Sendable {
    let depth: Int
    let tree: JobTree
    private let mostTasks: Int
    var random: WalkGenerator
    private(set) var events: [StressEvent] = []
    private(set) var tasks: [Tracked] = []
    /// Tasks of the job above, for which this job waits too.
    let inherited: [Operation]
    let places = Gauge(limit: 1)
    private let suspension = StressSuspension()
    private let inside = Atomic(false)
    let wasCancelledBeforeStart = Atomic(false)
    private(set) var complaint: String?
    private(set) var firstEnd: StressOutcome?
    private var isLimited = false

    struct Tracked {
        let task: Operation
        let group: String
        let cancellation: TaskCancellation
        /// Whether another job also tracks it and may be the one that waits for it in the end.
        let isShared: Bool
    }

    init(seed: UInt64, depth: Int, tree: JobTree, inherited: [Operation] = []) {
        random = WalkGenerator(seed: seed)
        self.depth = depth
        self.tree = tree
        self.inherited = inherited
        mostTasks = depth == 0 ? 10 : 6
        let queue = tree.jobQueues[Int.random(in: 0..<tree.jobQueues.count, using: &random)]
        let hasCallbackQueue = Int.random(in: 0..<8, using: &random) == 0
        super
            .init(
                queue: queue,
                callbackQueue: hasCallbackQueue ? DispatchQueue(label: "stress") : nil
            )
        tree.living.add(1)
        name = "job \(tree.add(self))"
    }

    deinit { tree.living.add(-1) }

    func cancelBeforeStart() {
        wasCancelledBeforeStart.store(true, ordering: .releasing)
        cancel()
    }

    /// Whether the job will still finish without intervention.
    var isUnderWay: Bool { !isFinished && (isExecuting || !isCancelled) }

    // MARK: Callbacks

    /// Records the beginning of a callback and runs `body`.
    private func callback(_ event: StressEvent, _ body: () -> Void = {}) {
        if inside.exchange(true, ordering: .relaxed) { complain("J1: callbacks overlap") }
        if suspension.isActive, event != .cancelled, event != .main {
            complain("J14: a callback of a suspended job")
        }
        events.append(event)
        body()
        inside.store(false, ordering: .relaxed)
    }

    private func complain(_ text: String) { complaint = complaint ?? text }

    func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    override func main() {
        callback(.main) {
            if chance(3) {
                isLimited = true
                setMaxConcurrentOperationCount(1, for: .named("a"))
            }
            for group in ["a", "b"] where chance(2) {
                setCompletion(for: .named(group)) { self.groupFinished(group) }
            }
            for task in inherited { track(task, as: "b", isQueued: false, isShared: true) }
            for _ in 0..<Int.random(in: 0...(depth == 0 ? 5 : 3), using: &random) { grow() }
            maybeSuspend(oneIn: 15)
            maybeEnd(oneIn: 25)
        }
    }

    override func taskFinished(_ task: Operation) {
        let number = tasks.firstIndex { $0.task === task } ?? -1
        callback(.delivered(number)) {
            if !task.isFinished { complain("J5: \(number) has not finished") }
            if let job = task as? StressJob, job.hasRunningTasks {
                complain("J4, J8: \(number) has finished before its tasks")
            }
            if chance(3) { grow() }
            if chance(20) {
                perform(after: .zero) {
                    self.callback(.delayed) { if self.chance(2) { self.grow() } }
                }
            }
            maybeSuspend(oneIn: 15)
            maybeEnd(oneIn: 40)
        }
    }

    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        let answer: StressEvent.Answer = chance(3) ? .failJob : .carryOn
        callback(.asked(tasks.firstIndex { $0.task === task } ?? -1, answer: answer)) {
            if answer == .failJob { firstEnd = firstEnd ?? .failed }
        }
        return answer == .failJob ? .failJob : .carryOn
    }

    override func taskGroupFinished(_ group: JobGroup) { groupFinished("\(group)") }

    private func groupFinished(_ group: String) {
        callback(.group(group)) {
            if chance(4) { grow() }
            maybeEnd(oneIn: 40)
        }
    }

    override func allTasksFinished() {
        callback(.all) {
            if chance(4) { grow() }
            maybeEnd(oneIn: 40)
        }
    }

    override func jobCancelled() {
        callback(.cancelled) {
            if hasRunningTasks { complain("J8: told before its tasks have stopped") }
        }
    }

    // MARK: Actions of a callback

    private func grow() {
        guard tasks.count < mostTasks else { return }
        let group = chance(2) ? "a" : "b"
        let (queue, queueGauge) = tree.queues[Int.random(in: 0..<tree.queues.count, using: &random)]
        let cancellation: TaskCancellation =
            chance(8) ? .leaveRunning : chance(8) ? .cancelWithoutWaiting : .cancelAndWait
        // Tasks that are left running are added to their queue as soon as the job ends.
        let isCounted = isLimited && group == "a" && cancellation != .leaveRunning
        let gauges = [queueGauge] + (isCounted ? [places] : [])
        let kind = Int.random(in: 0..<18, using: &random)
        let task: Operation
        switch kind {
        case 0...1:
            task = BlockOperation {
                for gauge in gauges { gauge.enter() }
                for gauge in gauges { gauge.leave() }
            }
        case 2: task = AsyncOperation { await Task.yield() }
        case 3: task = UserOperation("user")
        case 4...7 where depth < 3:
            return track(nested(), as: group, cancellation)
        case 8: return growFinished(group)
        case 9: return growStartedElsewhere(group)
        case 10 where depth < 3: return growShared(group, on: queue, queueGauge)
        case 13: task = makeOverrunning(gauges)
        case 14: task = makeRetry()
        case 15 where queue is TaskQueue: task = makePermitted()
        case 16...17: task = makeDependent(gauges)
        default:
            task = StressTask(
                failure: chance(4) ? SampleError("stress") : nil,
                finishesLater: chance(2),
                gauges: gauges,
                isHeld: cancellation == .leaveRunning ? nil : suspension.whileHeld
            )
        }
        track(task, as: group, on: queue, cancellation)
    }

    private func nested(inheriting inherited: [Operation] = []) -> StressJob {
        StressJob(seed: random.next(), depth: depth + 1, tree: tree, inherited: inherited)
    }

    private func growFinished(_ group: String) {
        let task: Operation =
            chance(2)
            ? BlockOperation {}
            : StressTask(failure: chance(4) ? SampleError("early") : nil, finishesLater: false)
        task.start()
        track(task, as: group, isQueued: chance(2))
    }

    private func growStartedElsewhere(_ group: String) {
        let task: Operation =
            chance(3) ? BlockOperation {} : StressTask(failure: nil, finishesLater: chance(2))
        let isFirst = chance(2)
        if isFirst { DispatchQueue.global().async { task.start() } }
        track(task, as: group, isQueued: false)
        if !isFirst { DispatchQueue.global().async { task.start() } }
    }

    /// Adds a task for which this job and a nested one wait.
    private func growShared(
        _ group: String,
        on queue: any OperationScheduling,
        _ gauge: Gauge
    ) {
        let task = StressTask(
            failure: chance(6) ? SampleError("shared") : nil,
            finishesLater: chance(2),
            // It is added to its queue as soon as this job leaves it to the other.
            gauges: [gauge]
        )
        track(task, as: group, on: queue, isShared: true)
        track(nested(inheriting: [task]), as: group)
    }

    private func track(
        _ task: Operation,
        as group: String,
        isQueued: Bool = true,
        on queue: (any OperationScheduling)? = nil,
        _ cancellation: TaskCancellation = .cancelAndWait,
        isShared: Bool = false
    ) {
        events.append(.tracked(tasks.count, group: group))
        tasks.append(
            Tracked(task: task, group: group, cancellation: cancellation, isShared: isShared)
        )
        let completion: ((Operation) -> Void)? = chance(2) ? { self.taskFinished($0) } : nil
        if isQueued {
            trackAndQueue(
                task,
                on: queue,
                group: .named(group),
                cancellation: cancellation,
                completion: completion
            )
        } else {
            track(
                task,
                group: .named(group),
                cancellation: cancellation,
                completion: completion
            )
        }
    }

    private func maybeSuspend(oneIn one: Int) {
        guard depth > 0, chance(one), let resume = suspension.suspend() else { return }
        isSuspended = true
        DispatchQueue.global()
            .async {
                resume()
                self.isSuspended = false
            }
    }

    private func maybeEnd(oneIn one: Int) {
        guard chance(one) else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            noteEnd(.cancelled)
            cancel()
        case 1:
            noteEnd(.succeeded)
            finish()
        default:
            noteEnd(.failed)
            finish(with: SampleError("end"))
        }
    }

    private func noteEnd(_ end: StressOutcome) {
        firstEnd = firstEnd ?? end
        events.append(.ending)
    }
}
