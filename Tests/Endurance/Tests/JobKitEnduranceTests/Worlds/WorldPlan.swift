/// The contents of a world, as a value.
///
/// A seed generates it, a failing run shrinks it, and it is encoded as JSON.
struct WorldPlan: Codable, Equatable, Sendable {
    var seed: UInt64
    /// The concurrency limit of the queue that nested jobs may share with their tasks.
    var width: Int
    var root: JobPlan
    /// Whether a thread repeatedly calls `explainStall` on all jobs.
    var isAsked = false
    /// The interval in which the rate-limited queue forwards two tasks.
    var rateMicroseconds = 100
    /// The decisions, workflows and start-up tasks, or nil if there are none.
    var launch: WorldLaunchPlan?
    /// The calls of each chaos thread, in order.
    var chaos: [[ChaosCall]]
}

/// A job of a world.
struct JobPlan: Codable, Equatable, Sendable {
    /// An action of a job in one of its callbacks.
    enum Deed: String, Codable, CaseIterable, Sendable {
        case cancel, finish, fail, suspend, delay, progress
    }

    /// The default queue of its tasks.
    var queue: WorldQueue
    var hasCallbackQueue = false
    var hasContext = false
    /// Whether at most one task of the group "a" is in its queue at a time.
    var hasNarrowGroup = false
    var maximumRuntimeMicroseconds: Int?
    var maximumStopMicroseconds: Int?
    /// The job's actions by the number of the callback, in which `main()` is the first.
    var deeds: [Int: Deed] = [:]
    /// Tracked in `main()`.
    var tasks: [TaskPlan] = []
    /// Tracked when all other tasks have finished for the first time.
    var last: [TaskPlan] = []
}

/// A task of a job.
struct TaskPlan: Codable, Equatable, Sendable {
    indirect enum Kind: Codable, Equatable, Sendable {
        case block
        /// A plain asynchronous class, as users write it.
        case user
        /// A plain operation with its own `isReady`, which is false for a while.
        case permitted
        case instant(fails: Bool)
        case later(fails: Bool)
        /// Ends after calls of `explainStall`.
        case watched
        case closure(fails: Bool)
        case async
        case callback
        /// `done` is released without a call.
        case callbackLost
        /// Ignores its cancellation and is abandoned after its timeout.
        case deaf
        /// A timeout in microseconds, on a manual clock or not.
        case limited(Int, isManual: Bool)
        /// Whether each attempt succeeds.
        case retry([Bool], on: WorldQueue?)
        /// Finished before it is tracked.
        case finished(isPlain: Bool)
        case startedElsewhere(isPlain: Bool)
        case job(JobPlan)
        /// A job that also tracks the task before this one.
        case sharing(JobPlan)
    }

    var kind: Kind
    /// If nil, the group of its type.
    var group: String?
    var queue: WorldQueue?
    var cancellation = 0
    var weight: Int64 = 1
    /// 0: `taskFailed` decides, 1: carry on, 2: fail the job.
    var failure = 0
    var hasClosure = false
    /// The number of preceding tasks of the same job that it waits for.
    var waitsFor = 0
    var edgeIsRemoved = false
    /// Whether it waits for a task of the job above.
    var waitsOutside = false
    var priority = 0
    /// Tracked in its callback.
    var next: [TaskPlan] = []
}

/// The queues of a world.
enum WorldQueue: Int, Codable, CaseIterable, Sendable {
    /// A `TaskQueue` limited to 1, for tasks.
    case one
    /// A `TaskQueue` with a small limit, for jobs and tasks.
    case few
    case shared
    case foundation
    /// An `OperationQueue` limited to 2, for tasks.
    case narrowFoundation
    /// Forwards tasks to `shared` at a limited rate.
    case rated
    /// A `TaskQueue` limited to 1 for tasks, which checks their order.
    case ordered
    /// Views of a `KeyedQueue`, of which jobs use only the first.
    case keyA, keyB, bothKeys

    /// The keys of its operations.
    var keys: Set<String> {
        switch self {
        case .keyA: ["a"]
        case .keyB: ["b"]
        case .bothKeys: ["a", "b"]
        default: []
        }
    }
}

/// A call of a chaos thread.
///
/// A number that wraps around selects the job, task or queue.
struct ChaosCall: Codable, Equatable, Sendable {
    enum Member: String, Codable, CaseIterable, Sendable {
        // A job.
        case cancelJob, suspendJob, resumeJob, finishJob, failJob, explainStall, snapshot, progress
        case cancelProgress, trackedTasks, groupWidth, groupCompletion, addObserver, performAfter
        case reportOfJob, waitForJob, runtimeOfJob, stopTimeOfJob, outcomeOfJob
        // An operation.
        case cancelTask, finishTask, failTask, addEdge, removeEdge, dependencies, priority
        case completionBlock, reportProgress, names, waitForTask, states, errorAndOutcome
        case runtimeOfTask, stopTimeOfTask, valueOfTask
        // A queue.
        case width, suspendQueue, resumeQueue, addBlock, addBarrier, addAsynchronous, addTogether
        case operations, waitForQueue, cancelQueue
        // Clock, timeline and policies.
        case advanceClock, timeline, askPolicy
        // A launch.
        case setNeed, openDecisions, completeItem, prioritizeItem, askItem, followItem, openGate
        case cancelWorkflow, addLaunchTasks, askWorkflow, startAndWait, addStartup, removeStartup
        case clearStartup, startStartup
    }

    var member: Member
    var target: Int
    var other = 0
    var spins = 0
}
