/// Who runs a task, as its controller has heard.
struct TaskRunner: Sendable {
    let worker: String
    /// Which delivery of the task it is, from 1.
    let attempt: Int
    /// When the controller heard of it.
    let since: ContinuousClock.Instant

    /// One line about it; the time in whole seconds, from the first on.
    func note(at now: ContinuousClock.Instant) -> String {
        let seconds = since.duration(to: now).components.seconds
        return "on \(worker), attempt \(attempt)" + (seconds > 0 ? " for \(seconds) s" : "")
    }
}
