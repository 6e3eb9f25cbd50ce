import Dispatch
import Foundation
import Synchronization

/// Owns a job's only lock, and calls the job's code without holding it, one call at a time.
///
/// The job's state is a ``JobState``. ``send(_:)`` changes it, and ``ask(_:)`` only reads it.
///
/// The thread that finishes a task stores the message under the lock, and then acquires the
/// ``DrainToken``. The thread that gets the token delivers until nothing is due, and then releases
/// it. Therefore, no thread waits, and the callbacks are serial. `main()` has the token until it
/// has returned, and a finished job never releases it.
final class JobShell: CallbackDelivery {
    private let state = Guarded(JobState())
    /// The token for delivering, which is taken until the job's `main()` has returned.
    let token = DrainToken(isAcquired: true)
    /// Flags for features that most jobs do not use.
    let features = FeaturesInUse()
    let callbackQueue: DispatchQueue?
    /// The ``CoarseTime`` at which a delivery was requested from the `callbackQueue`, or 0 for
    /// none.
    let callbackQueueRequestedAt = Atomic<CoarseTime.RawValue>(0)
    let permit = JobPermit()
    /// Held while observers of another job are passed on to this one, outside the job's lock.
    ///
    /// Contains a number, because an empty value would share its address with the next property,
    /// which the thread sanitizer reports as a race.
    let passingOn = Guarded(0)
    /// The highest fraction that a snapshot of the job has shown.
    let shownFraction = ReportedFraction()

    init(callbackQueue: DispatchQueue?) {
        self.callbackQueue = callbackQueue
    }

    /// Changes the job's state, and then drains its submission queue.
    @inline(__always)
    func send<Result>(_ input: (inout sending JobState) -> sending Result) -> sending Result {
        // Not returned together with the result, because that would copy the result.
        var mustDrain = false
        let result = state.withLock { state in
            let result = input(&state)
            mustDrain = state.submission.startDraining()
            return result
        }
        if mustDrain { drainSubmissions() }
        return result
    }

    /// Reads the job's state without putting any task into a queue.
    ///
    /// Takes the same lock as `send`. Tasks that another thread has just submitted are left to
    /// that thread.
    @inline(__always)
    func ask<Result>(_ question: (borrowing JobState) -> sending Result) -> sending Result {
        state.withLock { question($0) }
    }

    /// The shells of the jobs that track `operation` and still listen for its finish.
    static func tracking(_ operation: Operation) -> [JobShell] {
        TaskRecord.tracking(operation).map(\.shell)
    }

    // MARK: State

    /// The context of the job's code, or nil if neither the job nor an ancestor has one.
    var context: OperationContext? {
        features.contains(.context) ? ask { $0.context } : nil
    }

    /// The job, from its start to its finish.
    var startedJob: JobController? { ask { $0.startedJob } }

    // MARK: Start and end

    /// Starts the job and returns whether the caller must call `main()`.
    func begin(_ job: JobController, mayEnterMain: Bool) -> Bool {
        permit.jobStarts(job)
        let (entersMain, tasks, mustDrain) = state.withLock { state in
            let (entersMain, tasks) = state.jobStarted(job, mayEnterMain: mayEnterMain)
            return (entersMain, tasks, state.submission.startDraining())
        }
        // Offered before any task is queued. Otherwise, a nested job that already runs would make
        // this one search all its ancestors, and each task that is added would search them too. The
        // caller drains the submission queue, so no other thread enqueues one of them meanwhile.
        if !tasks.isEmpty { TaskQueueShell.lendPermits(of: job, to: tasks) }
        if mustDrain { drainSubmissions() }
        return entersMain
    }

    /// Opens the token after `main()` has returned, so the thread that takes it may deliver.
    func mainReturned() {
        send { $0.mainReturned() }
        progressAdvances()
        token.release()
    }

    /// Releases everything that the job owned, and returns its operations.
    func releaseAll(_ owned: JobState.Owned) -> [Operation] {
        for message in owned.messages { message.release() }
        return owned.records.compactMap { release($0) }
    }

    private func release(_ record: TaskRecord) -> Operation? {
        let (released, completion) = send { ($0.empty(record), record.takeCompletion()) }
        released.task?.removeListener(record)
        withExtendedLifetime((released, completion)) {}
        return released.task
    }
}
