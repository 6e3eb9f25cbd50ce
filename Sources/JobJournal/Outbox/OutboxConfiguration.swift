import Foundation
import JobKit

/// How a ``JobOutbox`` performs its entries.
public struct OutboxConfiguration<Item: Sendable>: Sendable {
    /// The maximum number of attempts at the same time.
    public var concurrencyLimit = 4
    /// The kind of crash that an entry survives.
    public var safety = JobJournal.Safety.processCrash
    /// The reasons for a suspension that are set before any attempt starts.
    public var suspendedFor: Set<String> = []
    /// Decides the delays after failures and interruptions.
    public var retryPolicy = RetryPolicy.exponential(
        attempts: 16,
        initialDelay: .seconds(2),
        maximumDelay: .seconds(3_600)
    )
    /// Decides how the outbox responds to a failure.
    public var onFailure: @Sendable (any Error, Item, OutboxAttempt) -> OutboxFailureResponse = {
        error,
        _,
        _ in .standard(for: error)
    }
    /// The number of interruptions in a row after which an entry is parked.
    ///
    /// Nil: never.
    public var interruptionLimit: Int? = 5
    /// The maximum time that an attempt may run.
    ///
    /// Nil: no limit.
    public var maximumRuntime: Duration?
    /// The maximum time that an attempt may take to stop after it was asked to.
    ///
    /// Nil: no limit.
    public var maximumStopTime: Duration?
    /// Measures delays and limits.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the date, which a test may replace.
    public var now: @Sendable () -> Date = { Date() }

    /// Creates the default configuration.
    public init() {}
}

/// The response of an outbox to a failed attempt.
public enum OutboxFailureResponse: Sendable, Hashable {
    /// Another attempt follows after a delay. Nil: the retry policy decides the delay.
    case retry(after: Duration? = nil)
    /// The same as a retry, but the failure is not charged.
    case retryUncharged(after: Duration? = nil)
    /// The outbox is suspended for a reason. The failure is not charged.
    case suspend(for: String)
    /// The entry stays and holds back its key.
    case park
    /// The entry stays and does not hold back its key.
    case parkAside
    /// The entry leaves.
    case drop

    /// The default response.
    ///
    /// - Parameter error: The error of the attempt.
    /// - Returns: ``retryUncharged(after:)`` for an unreachable network and for a
    ///   `CancellationError`, and ``retry(after:)`` for every other error.
    public static func standard(for error: any Error) -> OutboxFailureResponse {
        let unreachable: [URLError.Code] = [
            .notConnectedToInternet, .networkConnectionLost, .cannotFindHost, .dataNotAllowed,
        ]
        if error is CancellationError { return .retryUncharged() }
        guard let code = (error as? URLError)?.code, unreachable.contains(code) else {
            return .retry()
        }
        return .retryUncharged()
    }
}
