/// How often a failed run is tried, and the delay before each further attempt.
///
/// Each attempt is a separate run. It is queued when the previous attempt has failed.
public struct RunAttempts: Sendable, Equatable {
    /// The highest number of attempts, including the first one.
    public let count: Int
    private let delays: [Duration]

    /// One attempt.
    public static let once = RunAttempts(1, delays: [])

    /// Describes attempts.
    ///
    /// - Parameters:
    ///   - count: The highest number of attempts, including the first one. At least 1.
    ///   - delays: The delays before the second attempt, the third, and so on. The last delay
    ///     applies to all further attempts. If empty, no attempt is delayed.
    public init(_ count: Int, delays: [Duration]) {
        precondition(count >= 1, "A run has at least one attempt")
        self.count = count
        self.delays = delays
    }

    /// The delay after a failed attempt, or nil if it was the last one.
    func delay(after attempt: Int) -> Duration? {
        guard attempt < count else { return nil }
        guard let last = delays.last else { return .zero }
        return attempt <= delays.count ? delays[attempt - 1] : last
    }
}
