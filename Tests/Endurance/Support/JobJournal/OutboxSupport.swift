import Foundation
import JobJournal
import JobKit

extension TemporaryFolder {
    /// Opens the folder's outbox, as the first and the later sessions do.
    func outbox(
        _ configuration: OutboxConfiguration<String> = OutboxConfiguration(),
        perform: @escaping @Sendable (String, OutboxAttempt) async throws -> Void = { _, _ in }
    ) throws -> JobOutbox<String> {
        try JobOutbox(at: url, name: "outbox", configuration: configuration, perform: perform)
    }
}

extension OutboxConfiguration {
    /// Returns a configuration that a closure has changed.
    static func with(_ change: (inout OutboxConfiguration) -> Void) -> OutboxConfiguration {
        var configuration = OutboxConfiguration()
        change(&configuration)
        return configuration
    }
}

/// A date that a test advances.
final class Dates: Sendable {
    private let date = Locked(Date(timeIntervalSinceReferenceDate: 800_000_000))

    var now: Date { date.withLock { $0 } }

    func advance(by seconds: TimeInterval) { date.withLock { $0.addTimeInterval(seconds) } }
}
