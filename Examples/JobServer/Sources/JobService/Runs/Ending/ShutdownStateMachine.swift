/// Decides how the server ends: it lets runs end, then cancels them, then abandons them.
struct ShutdownStateMachine: Sendable {
    enum Action: Equatable, Sendable {
        /// Notify listeners and start no more runs.
        case sayGoodbye
        /// Wait for the grace period.
        case waitForGrace
        /// Cancel the executing runs.
        case cancelRuns
        /// Wait until the cancelled runs have stopped.
        case waitForStop
        /// End the remaining runs, although their jobs are still running.
        case giveUpRuns
        /// Wait until the ends are saved.
        case waitForWrites
        /// No run is executing, or no more can be saved, so the server may end.
        case finish
    }

    private enum Phase {
        case serving
        case grace
        case stopping
        case writing
        case finished
    }

    private var phase = Phase.serving
    private var running = 0

    /// Whether runs are no longer accepted.
    var isStopping: Bool { phase != .serving }

    /// Counts a run that was started.
    mutating func runStarted() {
        running += 1
    }

    /// Counts a run that has a saved end.
    mutating func runEnded() -> [Action] {
        precondition(running > 0, "runEnded() with no run")
        running -= 1
        guard running == 0, isStopping, phase != .finished else { return [] }
        phase = .finished
        return [.finish]
    }

    /// Begins the shutdown.
    ///
    /// Further requests have no effect.
    mutating func stopAsked() -> [Action] {
        guard phase == .serving else { return [] }
        if running == 0 {
            phase = .finished
            return [.sayGoodbye, .finish]
        }
        phase = .grace
        return [.sayGoodbye, .waitForGrace]
    }

    /// Cancels the runs after the grace period.
    mutating func graceEnded() -> [Action] {
        guard phase == .grace else { return [] }
        phase = .stopping
        return [.cancelRuns, .waitForStop]
    }

    /// Abandons the runs after the time to stop.
    ///
    /// The last end finishes the shutdown.
    mutating func stopEnded() -> [Action] {
        guard phase == .stopping else { return [] }
        phase = .writing
        return [.giveUpRuns, .waitForWrites]
    }

    /// Finishes after the time for saving, because a failing database must not keep the server
    /// running.
    mutating func writesEnded() -> [Action] {
        guard phase == .writing else { return [] }
        phase = .finished
        return [.finish]
    }
}
