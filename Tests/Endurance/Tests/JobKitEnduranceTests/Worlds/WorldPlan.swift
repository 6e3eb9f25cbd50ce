/// What a world consists of: a value that a seed draws, a failing run makes smaller, and JSON carries.
struct WorldPlan: Codable, Equatable, Sendable {
    var seed: UInt64
    /// The width of the queue that nested jobs may share with their tasks.
    var width: Int
    var root: JobPlan
    /// Whether a thread asks all jobs again and again why they have not finished.
    var isAsked = false
    /// The interval in which two tasks pass through the queue with a rate.
    var rateMicroseconds = 100
    /// Its decisions, workflows and start-up tasks; nil where it has none.
    var launch: WorldLaunchPlan?
    /// What each thread of chaos calls, in order.
    var chaos: [[ChaosCall]]
}

/// One job of a world.
struct JobPlan: Codable, Equatable, Sendable {
    /// What a job does of itself in one of its callbacks.
    enum Deed: String, Codable, CaseIterable, Sendable {
        case cancel, finish, fail, suspend, delay, progress
    }

    /// Where its tasks go unless they say otherwise.
    var queue: WorldQueue
    var hasCallbackQueue = false
    var hasContext = false
    /// Whether at most one task of the group "a" is in its queue at a time.
    var hasNarrowGroup = false
    var maximumRuntimeMicroseconds: Int?
    var maximumStopMicroseconds: Int?
    /// The numbers of callbacks, `main()` first, and what the job does in them.
    var deeds: [Int: Deed] = [:]
    /// Tracked in `main()`.
    var tasks: [TaskPlan] = []
    /// Tracked when all the others have finished, for the first time.
    var last: [TaskPlan] = []
}

/// One task of a job.
struct TaskPlan: Codable, Equatable, Sendable {
    indirect enum Kind: Codable, Equatable, Sendable {
        case block
        /// A plain asynchronous class of a user's own.
        case user
        /// A plain operation whose own `isReady` says no for a while.
        case permitted
        case instant(fails: Bool)
        case later(fails: Bool)
        /// Ends once jobs have been asked why they have not finished.
        case watched
        case closure(fails: Bool)
        case async
        case callback
        /// `done` is released without a call.
        case callbackLost
        /// Ignores its cancellation and is abandoned after its timeout.
        case deaf
        /// A limit of so many microseconds, on a manual clock or not.
        case limited(Int, isManual: Bool)
        /// Whether each attempt succeeds.
        case retry([Bool], on: WorldQueue?)
        /// Finished before it is tracked.
        case finished(isPlain: Bool)
        case startedElsewhere(isPlain: Bool)
        case job(JobPlan)
        /// A job that tracks the task before this one too.
        case sharing(JobPlan)
    }

    var kind: Kind
    /// Nil: the group of its type.
    var group: String?
    var queue: WorldQueue?
    var cancellation = 0
    var weight: Int64 = 1
    /// 0: `taskFailed` is asked; 1: carry on; 2: fail the job.
    var failure = 0
    var hasClosure = false
    /// How many tasks before it, of the same job, it waits for; 0: none.
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
    /// A `TaskQueue` of width 1, for tasks.
    case one
    /// A `TaskQueue` of a small width, for jobs and tasks.
    case few
    case shared
    case foundation
    /// An `OperationQueue` of width 2, for tasks.
    case narrowFoundation
    /// Hands on to `shared` so many in an interval, for tasks.
    case rated
    /// A `TaskQueue` of width 1, for tasks, whose order is followed.
    case ordered
}

/// One call of a thread of chaos: what, and of which job, task or queue, by a number that wraps around.
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
