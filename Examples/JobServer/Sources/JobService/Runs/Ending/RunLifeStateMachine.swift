/// Decides about one run: the effects of cancellation and timeouts, and its end.
///
/// Only the first end counts.
struct RunLifeStateMachine: Sendable {
    /// The end of the job itself.
    enum Outcome: Equatable, Sendable {
        case succeeded
        case failed
        case cancelled
    }

    /// The end of the run.
    enum End: String, Sendable {
        case succeeded
        case failed
        case cancelled
        case interrupted
    }

    enum Action: Equatable, Sendable {
        /// Start the job.
        case startJob
        /// Cancel the job.
        case cancelJob
        /// Save the end.
        case recordEnd(End)
    }

    /// The origin of a request to stop.
    enum Canceller: Sendable {
        case person
        case shutdown
        case timeLimit
    }

    private enum Phase {
        case starting
        case running
        case ended
    }

    private var phase = Phase.starting
    private var person = false
    private var shutdown = false
    /// Whether it timed out before a person or the shutdown stopped it.
    private(set) var isOverdue = false

    /// Whether the run has not ended.
    var isLive: Bool { phase != .ended }

    /// Starts the job that was created, unless the run was cancelled.
    mutating func jobMade() -> Action? {
        guard phase == .starting else { return nil }
        guard !person, !shutdown else { return end(stopped) }
        phase = .running
        return .startJob
    }

    /// Ends the run, because the job could not be created.
    mutating func jobNotMade() -> Action? {
        end(person || shutdown ? stopped : .failed)
    }

    /// Asks the run to stop.
    ///
    /// Further requests have no effect.
    mutating func cancelAsked(by canceller: Canceller) -> Action? {
        let isFirst = !person && !shutdown && !isOverdue
        switch canceller {
        case .person: person = true
        case .shutdown: shutdown = true
        case .timeLimit: isOverdue = isFirst
        }
        return phase == .running && isFirst ? .cancelJob : nil
    }

    /// Ends the run after its job has ended.
    mutating func jobEnded(_ outcome: Outcome) -> Action? {
        if isOverdue { return end(.failed) }
        return switch outcome {
        case .succeeded: end(.succeeded)
        case .failed: end(.failed)
        case .cancelled: end(stopped)
        }
    }

    /// Ends the run, because its job was asked to stop and did not stop in time.
    mutating func jobDidNotStop() -> Action? {
        end(isOverdue ? .failed : stopped)
    }

    /// Abandons the run, because the server ends while the job is still running.
    mutating func givenUp() -> Action? {
        shutdown = true
        return end(isOverdue ? .failed : stopped)
    }

    /// The end of a stopped run.
    ///
    /// If a person has cancelled it, it counts as cancelled.
    var stopped: End { shutdown && !person ? .interrupted : .cancelled }

    private mutating func end(_ end: End) -> Action? {
        guard phase != .ended else { return nil }
        phase = .ended
        return .recordEnd(end)
    }
}
