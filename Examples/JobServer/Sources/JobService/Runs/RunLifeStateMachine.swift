/// Decides how one run goes on: what a cancel does, and how it ends.
///
/// The first end counts.
struct RunLifeStateMachine: Sendable {
    /// How the job itself ended.
    enum Outcome: Equatable, Sendable {
        case succeeded
        case failed
        case cancelled
    }

    /// What a run ends as.
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
        /// Write the end down.
        case recordEnd(End)
    }

    /// Who asked a run to stop.
    enum Canceller: Sendable {
        case person
        case shutdown
    }

    private enum Phase {
        case starting
        case running
        case ended
    }

    private var phase = Phase.starting
    private var person = false
    private var shutdown = false

    /// Whether the run has no end yet.
    var isLive: Bool { phase != .ended }

    /// The job was made and may start, unless somebody cancelled the run meanwhile.
    mutating func jobMade() -> Action? {
        guard phase == .starting else { return nil }
        guard !person, !shutdown else { return end(stopped) }
        phase = .running
        return .startJob
    }

    /// The job could not be made.
    mutating func jobNotMade() -> Action? {
        end(.failed)
    }

    /// Somebody asked the run to stop; asking again does nothing.
    mutating func cancelAsked(by canceller: Canceller) -> Action? {
        let isFirst = !person && !shutdown
        switch canceller {
        case .person: person = true
        case .shutdown: shutdown = true
        }
        return phase == .running && isFirst ? .cancelJob : nil
    }

    /// The job has ended.
    mutating func jobEnded(_ outcome: Outcome) -> Action? {
        switch outcome {
        case .succeeded: end(.succeeded)
        case .failed: end(.failed)
        case .cancelled: end(stopped)
        }
    }

    /// The server ends while the job goes on.
    mutating func givenUp() -> Action? {
        shutdown = true
        return end(stopped)
    }

    /// What a stopped run counts as: a person's cancel is one whatever else happened.
    var stopped: End { shutdown && !person ? .interrupted : .cancelled }

    private mutating func end(_ end: End) -> Action? {
        guard phase != .ended else { return nil }
        phase = .ended
        return .recordEnd(end)
    }
}
