import Foundation

/// The job that a shell belongs to.
struct JobOwner {
    /// The job from its start to its finish: a started job keeps itself alive.
    private(set) var started: JobController?
    /// Set when the job tracks a task before its start.
    private weak var unstarted: JobController?
    /// The queue of Foundation's in which the job was started.
    private(set) weak var startQueue: OperationQueue?

    /// The job, started or not, as long as it lives and may have tasks.
    var known: JobController? { started ?? unstarted }

    mutating func jobTracks(_ job: JobController) { unstarted = job }

    mutating func jobQueued(in queue: OperationQueue) { startQueue = queue }

    mutating func jobStarted(_ job: JobController) { started = job }

    mutating func jobFinished() { started = nil }
}
