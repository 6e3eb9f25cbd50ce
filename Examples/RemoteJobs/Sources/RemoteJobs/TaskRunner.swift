/// The worker that runs a task, as reported to the task's controller.
struct TaskRunner: Sendable {
    let worker: String
    /// The number of this delivery of the task, from 1.
    let attempt: Int
    /// When the report arrived.
    let since: ContinuousClock.Instant

    /// One line about the worker, with the time in whole seconds once it is at least one.
    func note(at now: ContinuousClock.Instant) -> String {
        let seconds = since.duration(to: now).components.seconds
        return "on \(worker), attempt \(attempt)" + (seconds > 0 ? " for \(seconds) s" : "")
    }
}
