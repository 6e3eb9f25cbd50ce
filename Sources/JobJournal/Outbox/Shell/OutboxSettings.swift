import Foundation
import JobKit

/// The configuration of an outbox without the type of its items.
protocol OutboxOptions: Sendable {
    var concurrencyLimit: Int { get }
    var safety: JobJournal.Safety { get }
    var suspendedFor: Set<String> { get }
    var retryPolicy: RetryPolicy { get }
    var interruptionLimit: Int? { get }
    var maximumRuntime: Duration? { get }
    var maximumStopTime: Duration? { get }
    var clock: any Clock<Duration> { get }
    var now: @Sendable () -> Date { get }
}

extension OutboxConfiguration: OutboxOptions {}

/// The options of an outbox, and the code for its items.
struct OutboxSettings: Sendable {
    let options: any OutboxOptions
    /// Decodes an item and returns the code for it.
    let work: @Sendable (Data) throws -> OutboxWork
    private let elapsed: @Sendable () -> Duration

    init<Item: Codable & Sendable>(
        _ configuration: OutboxConfiguration<Item>,
        _ perform: @escaping @Sendable (Item, OutboxAttempt) async throws -> Void
    ) {
        options = configuration
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

    var isSynced: Bool { options.safety.isSynced }

    /// Returns the wall time, and the clock's time since the outbox was opened.
    func time() -> OutboxStateMachine.Time {
        OutboxStateMachine.Time(
            wall: options.now().timeIntervalSinceReferenceDate,
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
