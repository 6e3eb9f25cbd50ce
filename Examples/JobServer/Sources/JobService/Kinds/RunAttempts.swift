/// How often a run that failed is tried, and how long each further attempt waits.
///
/// Each attempt is a run of its own, queued in the moment in which the one before has failed.
public struct RunAttempts: Sendable, Equatable {
    /// How many attempts there are at most, the first one included.
    public let count: Int
    private let delays: [Duration]

    /// One attempt.
    public static let once = RunAttempts(1, delays: [])

    /// Describes attempts.
    ///
    /// - Parameters:
    ///   - count: How many there are at most, the first one included; at least 1.
    ///   - delays: How long the second attempt waits, the third, and so on; the last delay is that of
    ///     all further ones. None: no attempt waits.
    public init(_ count: Int, delays: [Duration]) {
        precondition(count >= 1, "A run has at least one attempt")
        self.count = count
        self.delays = delays
    }

    /// How long the attempt after a failed one waits; nil if there is none.
    func delay(after attempt: Int) -> Duration? {
        guard attempt < count else { return nil }
        guard let last = delays.last else { return .zero }
        return attempt <= delays.count ? delays[attempt - 1] : last
    }
}
