import Foundation

/// Work that a job does itself, in addition to its tasks.
///
/// A step of a journal runs its closure in this way, because another operation that only runs a
/// closure would cost as much as the rest of the step.
extension JobController {
    /// Lets the job be abandoned as a whole when its `maximumStopTime` has passed (S11).
    ///
    /// To its user, a step of a journal is a single operation.
    package final func becomesStep() { shell.send { $0.becomeStep() } }

    /// Runs a closure in a `Task` and makes the job wait for ``endWork(_:)``.
    ///
    /// The end of the job cancels the `Task`. A suspended job starts it when the job is resumed,
    /// and an ending job does not start it.
    ///
    /// Must be called in `main()`, at most once.
    package final func startWork(_ body: @escaping @Sendable () async -> Void) {
        guard let begins = shell.send({ $0.workBegins() }) else {
            let resumed = CallbackMessage { [self] in startWork(body) }
            return shell.send { $0.messageArrived(resumed) }
        }
        guard begins else { return }
        let context = ThreadContext.current
        // The body must run inside the job's context, which `main()` leaves when it returns.
        let start = shell.context == nil ? context.pointee.taskStart(of: self) : .enqueued
        let (name, executor) = (name, context.pointee.taskExecutor)
        let makeTask: @Sendable () -> Void = { [self] in
            start.makeTask(name: name, executor: executor) { [self] in
                if let task = RunningTask.current, shell.send({ $0.workStarted(task) }) {
                    task.cancel()
                }
                await body()
            }
        }
        if start == .atOnce {
            context.pointee.workAfterMain = makeTask
        } else {
            makeTask()
        }
    }

    /// Starts the work that begins on this thread.
    ///
    /// If `main()` ran the body, a body that blocks its thread would keep the job from being
    /// abandoned.
    func startWorkAfterMain() {
        ThreadContext.current.pointee.workAfterMain.take()?()
    }

    /// Ends the work.
    ///
    /// Must be called once, on a thread that has no user code below on its stack.
    ///
    /// - Parameter callback: Called as one of the job's callbacks. Never called if the job has
    ///   already ended in another way.
    package final func endWork(_ callback: @escaping @Sendable () -> Void) {
        shell.send { $0.messageArrived(CallbackMessage(endsWork: true, callback)) }
        shell.deliverWorkEnd()
    }
}
