import Foundation
import JobKit

/// The configuration of an outbox without the type of its items.
struct OutboxSettings: Sendable {
    let limit: Int
    let isSynced: Bool
    let suspendedFor: Set<String>
    let retryPolicy: RetryPolicy
    let interruptionLimit: Int?
    let maximumRuntime: Duration?
    let maximumStopTime: Duration?
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let elapsed: @Sendable () -> Duration
    /// Decodes an item and returns the code for it.
    let work: @Sendable (Data) throws -> OutboxWork

    init<Item: Codable & Sendable>(
        _ configuration: OutboxConfiguration<Item>,
        _ perform: @escaping @Sendable (Item, OutboxAttempt) async throws -> Void
    ) {
        limit = configuration.concurrencyLimit
        isSynced = configuration.safety.isSynced
        suspendedFor = configuration.suspendedFor
        retryPolicy = configuration.retryPolicy
        interruptionLimit = configuration.interruptionLimit
        maximumRuntime = configuration.maximumRuntime
        maximumStopTime = configuration.maximumStopTime
        clock = configuration.clock
        now = configuration.now
        elapsed = Self.elapsed(on: configuration.clock)
        let onFailure = configuration.onFailure
        work = { data in
            let item = try Coders.decoder.decode(Item.self, from: data)
            return OutboxWork(
                perform: { try await perform(item, $0) },
                respond: { onFailure($0, item, $1) }
            )
        }
    }

    /// Returns the wall time, and the clock's time since the outbox was opened.
    func time() -> OutboxStateMachine.Time {
        OutboxStateMachine.Time(
            wall: now().timeIntervalSinceReferenceDate,
            clock: elapsed() / .seconds(1)
        )
    }

    private static func elapsed<C: Clock<Duration>>(on clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

/// The code of an attempt for a decoded item.
struct OutboxWork: Sendable {
    let perform: @Sendable (OutboxAttempt) async throws -> Void
    let respond: @Sendable (any Error, OutboxAttempt) -> OutboxFailureResponse
}
