/// Decides how one run goes on: what a cancel or a time limit does, and how it ends.
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
    /// Whether it ran longer than it may, before a person or the shutdown stopped it.
    private(set) var isOverdue = false

    /// Whether the run has no end yet.
    var isLive: Bool { phase != .ended }

    /// The job was made and may start, unless the run was cancelled meanwhile.
    mutating func jobMade() -> Action? {
        guard phase == .starting else { return nil }
        guard !person, !shutdown else { return end(stopped) }
        phase = .running
        return .startJob
    }

    /// The job could not be made.
    mutating func jobNotMade() -> Action? {
        end(person || shutdown ? stopped : .failed)
    }

    /// The run shall stop; asking again does nothing.
    mutating func cancelAsked(by canceller: Canceller) -> Action? {
        let isFirst = !person && !shutdown && !isOverdue
        switch canceller {
        case .person: person = true
        case .shutdown: shutdown = true
        case .timeLimit: isOverdue = isFirst
        }
        return phase == .running && isFirst ? .cancelJob : nil
    }

    /// The job has ended.
    mutating func jobEnded(_ outcome: Outcome) -> Action? {
        if isOverdue { return end(.failed) }
        return switch outcome {
        case .succeeded: end(.succeeded)
        case .failed: end(.failed)
        case .cancelled: end(stopped)
        }
    }

    /// The job was told to stop, and has not done so within the time that it has for this.
    mutating func jobDidNotStop() -> Action? {
        end(isOverdue ? .failed : stopped)
    }

    /// The server ends while the job goes on.
    mutating func givenUp() -> Action? {
        shutdown = true
        return end(isOverdue ? .failed : stopped)
    }

    /// What a stopped run counts as: a person's cancel is one whatever else happened.
    var stopped: End { shutdown && !person ? .interrupted : .cancelled }

    private mutating func end(_ end: End) -> Action? {
        guard phase != .ended else { return nil }
        phase = .ended
        return .recordEnd(end)
    }
}
