/// Decides how the server ends: runs may end by themselves, then are cancelled, then are given up.
struct ShutdownStateMachine: Sendable {
    enum Action: Equatable, Sendable {
        /// Tell listeners, and start nothing more.
        case sayGoodbye
        /// Wait for the grace.
        case waitForGrace
        /// Cancel what runs.
        case cancelRuns
        /// Wait for what was cancelled to stop.
        case waitForStop
        /// End what still runs, whatever its job does.
        case giveUpRuns
        /// Wait for the ends to be written down.
        case waitForWrites
        /// Nothing runs, or nothing more can be written: the server may end.
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

    /// Whether no run is accepted any more.
    var isStopping: Bool { phase != .serving }

    /// A run was started.
    mutating func runStarted() {
        running += 1
    }

    /// A run has ended and is written down.
    mutating func runEnded() -> [Action] {
        precondition(running > 0, "runEnded() with no run")
        running -= 1
        guard running == 0, isStopping, phase != .finished else { return [] }
        phase = .finished
        return [.finish]
    }

    /// The server shall end; asking again does nothing.
    mutating func stopAsked() -> [Action] {
        guard phase == .serving else { return [] }
        if running == 0 {
            phase = .finished
            return [.sayGoodbye, .finish]
        }
        phase = .grace
        return [.sayGoodbye, .waitForGrace]
    }

    /// The grace is over.
    mutating func graceEnded() -> [Action] {
        guard phase == .grace else { return [] }
        phase = .stopping
        return [.cancelRuns, .waitForStop]
    }

    /// The time to stop is over: what is given up ends, and the last end finishes.
    mutating func stopEnded() -> [Action] {
        guard phase == .stopping else { return [] }
        phase = .writing
        return [.giveUpRuns, .waitForWrites]
    }

    /// The time to write is over: a database that fails keeps the server no longer.
    mutating func writesEnded() -> [Action] {
        guard phase == .writing else { return [] }
        phase = .finished
        return [.finish]
    }
}
