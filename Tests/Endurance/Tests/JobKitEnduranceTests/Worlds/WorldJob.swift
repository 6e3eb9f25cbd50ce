import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

// Operation forces @unchecked. The properties are used in callbacks, which J1 makes serial, and
// after the job has ended. State that other threads use is atomic or guarded.
/// A job of a world, which tracks its planned tasks and records every callback.
final class WorldJob: JobController, @unchecked Sendable {
    struct Tracked {
        let task: Operation
        let group: String
        let cancellation: TaskCancellation
        /// Whether another job also tracks it and may be the one that waits for it in the end.
        let isShared: Bool
        /// Whether it was added to the keyed queue.
        let isKeyed: Bool
        let next: [TaskPlan]
    }

    let plan: JobPlan
    let world: World
    let places = Gauge(limit: 1)
    let suspension = StressSuspension()
    /// The contexts in which its code must run (J16).
    let path: [Int]
    private(set) var events: [StressEvent] = []
    private(set) var tasks: [Tracked] = []
    private(set) var firstEnd: StressOutcome?
    /// A task of the job above, for which this job waits too.
    private let inherited: Operation?
    private weak var above: WorldJob?
    /// Tasks of the job above that run without this job and can be dependencies of its tasks.
    let outside: [Operation]
    /// The last tasks that need neither a permit of a limited queue nor another task.
    private var free: [Operation] = []
    private let inside = Atomic(false)
    /// Whether a callback has decided the job's ending.
    private let hasDecided = Atomic(false)
    /// Whether chaos or a timeout may end the job outside its callbacks.
    private let mayEndUnseen: Atomic<Bool>
    /// Open once another thread may resume the job.
    private let mayBeResumed = Gate()
    /// The tracked tasks that chaos may use while callbacks run.
    private let forChaos = Guarded([Tracked]())
    private var callbacks = 0
    private var hasTrackedLast = false
    private let token: ReleaseToken

    init(
        _ plan: JobPlan,
        above: WorldJob?,
        in world: World,
        inheriting inherited: Operation? = nil,
        outside: [Operation] = []
    ) {
        self.outside = outside
        self.above = above
        self.plan = plan
        self.world = world
        self.inherited = inherited
        mayEndUnseen = Atomic(plan.maximumRuntimeMicroseconds != nil)
        let (number, around) = (world.nextNumber(), above?.path ?? [])
        token = world.living.make("job \(number)")
        path = plan.hasContext ? around + [number] : around
        super
            .init(
                queue: world.queue(plan.queue),
                callbackQueue: plan.hasCallbackQueue ? DispatchQueue(label: "world") : nil
            )
        name = "job \(number)"
        if plan.hasContext {
            setContext { body in
                WorldContext.$path.withValue(WorldContext.path + [number]) { body() }
            }
        }
        maximumRuntime = plan.maximumRuntimeMicroseconds.map { .microseconds($0) }
        maximumStopTime = plan.maximumStopMicroseconds.map { .microseconds($0) }
        world.add(self)
    }

    /// Whether something may have ended the job, even if it has not finished yet.
    var mayHaveEnded: Bool {
        isFinished || isCancelled || !isExecuting || hasDecided.load(ordering: .acquiring)
            || mayHaveEndedUnseen || mayEndWithJobAbove
    }

    /// Whether a job above may have decided the end of this one, which may not be cancelled yet.
    private var mayEndWithJobAbove: Bool {
        above.map { $0.mayHaveEndedUnseen || $0.mayEndWithJobAbove } ?? false
    }

    /// Whether something outside its callbacks may have ended the job.
    var mayHaveEndedUnseen: Bool { mayEndUnseen.load(ordering: .acquiring) }

    /// Whether the job will still finish without intervention.
    var isUnderWay: Bool { !isFinished && (isExecuting || !isCancelled) }

    // MARK: Chaos

    /// The tasks that the job has tracked, readable on any thread.
    var trackedSoFar: [Tracked] { forChaos.withLock { $0 } }

    /// Prepares for chaos to end the job without a callback.
    func expectUnseenEnd() { mayEndUnseen.store(true, ordering: .releasing) }

    func expectResume() { mayBeResumed.open() }

    // MARK: Callbacks

    /// Records the beginning of a callback, then runs `body` and the planned actions.
    private func callback(_ event: StressEvent, _ body: () -> Void = {}) {
        if inside.exchange(true, ordering: .relaxed) {
            world.complain("J1: callbacks of \(name ?? "") overlap")
        }
        if suspension.isActive, !mayBeResumed.isOpen, event != .cancelled,
            event != .main
        {
            world.complain("J14: \(event) of the suspended \(name ?? "")")
        }
        terms().checkPath(of: name ?? "")
        events.append(event)
        body()
        if event != .cancelled { act() }
        inside.store(false, ordering: .relaxed)
    }

    override func main() {
        callback(.main) {
            if plan.hasNarrowGroup { setMaxConcurrentOperationCount(1, for: .named("a")) }
            setCompletion(for: .named("b")) { self.groupFinished("b") }
            if let inherited {
                grow(inherited, TaskPlan(kind: .block, group: "b"), isQueued: false, isShared: true)
            }
            for task in plan.tasks { grow(task) }
        }
    }

    override func taskFinished(_ task: Operation) {
        let number = tasks.firstIndex { $0.task === task } ?? -1
        callback(.delivered(number)) {
            if !task.isFinished { world.complain("J5: \(number) has not finished") }
            if let job = task as? WorldJob, job.hasRunningTasks {
                world.complain("J4, J8: \(job.account) has finished before its tasks")
            }
            guard tasks.indices.contains(number) else { return }
            for task in tasks[number].next { grow(task) }
        }
    }

    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        let number = tasks.firstIndex { $0.task === task } ?? -1
        let carriesOn = number % 4 != 0
        callback(.asked(number, answer: carriesOn ? .carryOn : .failJob))
        // The planned actions of this callback come before its result.
        if !carriesOn {
            noteSharers()
            firstEnd = firstEnd ?? .failed
            hasDecided.store(true, ordering: .releasing)
        }
        return carriesOn ? .carryOn : .failJob
    }

    override func taskGroupFinished(_ group: JobGroup) { groupFinished("\(group)") }

    private func groupFinished(_ group: String) { callback(.group(group)) }

    override func allTasksFinished() {
        let last = hasTrackedLast ? [] : plan.last
        hasTrackedLast = true
        callback(.all) { for task in last { grow(task) } }
        if last.isEmpty { hasDecided.store(true, ordering: .releasing) }
    }

    override func jobCancelled() {
        callback(.cancelled) {
            if hasRunningTasks { world.complain("J8: told before its tasks have stopped") }
        }
    }

    /// Performs the planned action of this callback.
    private func act() {
        defer { callbacks += 1 }
        switch plan.deeds[callbacks] {
        case nil: break
        case .cancel:
            noteEnd(.cancelled)
            cancel()
        case .finish:
            noteEnd(.succeeded)
            finish()
        case .fail:
            noteEnd(.failed)
            finish(with: SampleError("deed"))
        case .suspend:
            guard let resume = suspension.suspend() else { return }
            isSuspended = true
            DispatchQueue.global()
                .async {
                    resume()
                    self.isSuspended = false
                }
        case .delay:
            perform(after: .microseconds(50)) { self.callback(.delayed) }
        case .progress:
            reportProgress(Double(callbacks) / 10)
        }
    }

    /// Records that the job is about to end.
    private func noteSharers() {
        for tracked in tasks where tracked.isShared {
            (tracked.task as? WorldTask)?.sharers.jobEnds(self)
        }
    }

    private func noteEnd(_ end: StressOutcome) {
        noteSharers()
        hasDecided.store(true, ordering: .releasing)
        firstEnd = firstEnd ?? end
        events.append(.ending)
    }

    // MARK: Adding tasks

    private func terms(_ gauges: [Gauge] = [], path: Bool = true, after: [Operation] = [])
        -> WorldTerms
    {
        WorldTerms(
            world: world,
            gauges: gauges,
            path: path ? self.path : nil,
            dependencies: after
        )
    }

    private func grow(_ plan: TaskPlan) {
        let name = "\(self.name ?? "")/\(tasks.count)"
        let cancellation: TaskCancellation = [
            .cancelAndWait, .cancelWithoutWaiting, .leaveRunning,
        ][plan.cancellation]
        // Tasks that are left running are added to their queue as soon as the job ends.
        let isNarrow = self.plan.hasNarrowGroup && plan.group == "a" && plan.cancellation != 2
        var queue = plan.queue ?? self.plan.queue
        // Foundation reads an overridden `isReady` only once unless it receives a notification.
        if plan.kind == .permitted, !(world.queue(queue) is TaskQueue) { queue = .shared }
        // Chaos may finish every third task while the task's code still runs.
        let isCounted = tasks.count % 3 != 0
        let gauges =
            isCounted
            ? world.gauges(of: queue) + (isNarrow ? [places] : []) + [Gauge()] : []
        let isDue = mayWait(plan) && plan.waitsFor > 0 && plan.waitsFor <= tasks.count
        let earlier = isDue ? tasks[tasks.count - plan.waitsFor].task : nil
        let waitsOutside = plan.waitsOutside && mayWait(plan) && !self.outside.isEmpty
        let outside = waitsOutside ? self.outside[tasks.count % self.outside.count] : nil
        let after = [plan.edgeIsRemoved ? nil : earlier, outside].compactMap { $0 }
        let task = make(plan, name, terms(gauges, after: after))
        if !after.isEmpty || earlier != nil { (task as? WorldTask)?.expectAnotherTurn() }
        if let earlier { task.addDependency(earlier) }
        if let outside { task.addDependency(outside) }
        if isFree(plan, queue) { free = free.suffix(7) + [task] }
        task.queuePriority = Operation.QueuePriority(rawValue: plan.priority * 4) ?? .normal
        if plan.edgeIsRemoved, let earlier, task is ConcurrentOperation {
            DispatchQueue.global().async { task.removeDependency(earlier) }
        }
        switch plan.kind {
        case .finished: grow(task, plan, isQueued: tasks.count % 2 == 0)
        case .startedElsewhere:
            let isFirst = plan.priority < 0
            if isFirst { DispatchQueue.global().async { task.start() } }
            grow(task, plan, isQueued: false)
            if !isFirst { DispatchQueue.global().async { task.start() } }
        case .sharing:
            let shared = WorldTask("\(name) shared", .later, terms: terms([Gauge()], path: false))
            grow(shared, TaskPlan(kind: .block, group: "b"), isShared: true)
            guard case .sharing(let job) = plan.kind else { return }
            let nested = WorldJob(job, above: self, in: world, inheriting: shared)
            grow(nested, plan, cancellation, on: queue)
        default: grow(task, plan, cancellation, on: queue)
        }
    }

    /// Whether a task waits for its turn, so that it may depend on another.
    private func mayWait(_ plan: TaskPlan) -> Bool {
        // A task that is left running may wait for a cancelled task that is never started.
        guard plan.cancellation != 2 else { return false }
        switch plan.kind {
        case .finished, .startedElsewhere, .sharing, .permitted, .user: return false
        default: return true
        }
    }

    /// Whether a task ends independently of the tasks behind it.
    private func isFree(_ plan: TaskPlan, _ queue: WorldQueue) -> Bool {
        guard plan.waitsFor == 0, !plan.waitsOutside, plan.cancellation == 0,
            queue == .shared || queue == .foundation, plan.group != "a"
        else { return false }
        switch plan.kind {
        case .instant, .later, .watched, .closure, .async, .limited: return true
        default: return false
        }
    }

    private func make(_ plan: TaskPlan, _ name: String, _ terms: WorldTerms) -> Operation {
        let isOwn = plan.cancellation != 2 && !mayBeResumed.isOpen
        let held = isOwn ? suspension.whileHeld : nil
        let mayBeResumed = mayBeResumed
        let isHeld = held.map { held in { @Sendable in held() && !mayBeResumed.isOpen } }
        switch plan.kind {
        case .job(let job):
            let outside = plan.cancellation == 0 ? free : []
            return WorldJob(job, above: self, in: world, outside: outside)
        default:
            return TaskMaker(name: name, terms: terms, isHeld: isHeld).make(plan.kind)
        }
    }

    private func grow(
        _ task: Operation,
        _ plan: TaskPlan,
        _ cancellation: TaskCancellation = .cancelAndWait,
        on queue: WorldQueue? = nil,
        isQueued: Bool = true,
        isShared: Bool = false
    ) {
        let group = plan.group ?? "\(JobGroup.type(type(of: task)))"
        events.append(.tracked(tasks.count, group: group))
        let tracked = Tracked(
            task: task,
            group: group,
            cancellation: cancellation,
            isShared: isShared,
            isKeyed: queue.map { !$0.keys.isEmpty } ?? false,
            next: plan.next
        )
        tasks.append(tracked)
        let completion: ((Operation) -> Void)? =
            plan.hasClosure ? { self.taskFinished($0) } : nil
        let response: FailureResponse? = [nil, .carryOn, .failJob][plan.failure]
        if plan.failure == 2 { mayEndUnseen.store(true, ordering: .releasing) }
        if isQueued {
            trackAndQueue(
                task,
                on: queue.map { world.queue($0) },
                group: plan.group.map { .named($0) },
                cancellation: cancellation,
                weight: plan.weight,
                failure: response,
                completion: completion
            )
        } else {
            track(
                task,
                group: plan.group.map { .named($0) },
                cancellation: cancellation,
                weight: plan.weight,
                failure: response,
                completion: completion
            )
        }
        if isShared { (task as? WorldTask)?.sharers.add(self) }
        world.add(task)
        forChaos.withLock { $0.append(tracked) }
    }
}
