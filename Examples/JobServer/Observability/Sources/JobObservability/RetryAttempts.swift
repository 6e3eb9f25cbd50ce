import Foundation
import JobKit
import Synchronization

/// Distinguishes the attempts and pauses of retries from other tasks.
final class RetryAttempts: Sendable {
    private struct Known: Sendable {
        var types: [ObjectIdentifier: Bool] = [:]
        var retries: Set<Int> = []
    }

    private let hasRetries = Atomic<Bool>(false)
    private let known = Mutex(Known())

    /// Whether the event belongs to an operation that a retry tracks.
    func isAttempt(_ event: JobEvent) -> Bool {
        let isTracked = event.kind == .tracked
        // Most jobs have no retries. For those, only each type is looked up, and only once.
        guard isTracked || hasRetries.load(ordering: .relaxed) else { return false }
        return known.withLock { known in
            if isTracked, Self.isRetry(event.type, &known.types) {
                known.retries.insert(event.operationID)
                hasRetries.store(true, ordering: .relaxed)
            } else if event.kind == .delivered || event.kind == .dropped {
                known.retries.remove(event.operationID)
            }
            return event.parentID.map { known.retries.contains($0) } ?? false
        }
    }

    private static func isRetry(
        _ type: Operation.Type,
        _ types: inout [ObjectIdentifier: Bool]
    ) -> Bool {
        let key = ObjectIdentifier(type)
        if let isRetry = types[key] { return isRetry }
        let isRetry = String(describing: type).hasPrefix("RetryOperation<")
        types[key] = isRetry
        return isRetry
    }
}
