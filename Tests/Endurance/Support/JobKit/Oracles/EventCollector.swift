import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

/// Collects events for a test, with names instead of operations.
final class EventCollector: JobObserver {
    let log = EventLog()
    private let collected = Guarded<[JobEvent]>([])

    private let released: @Sendable () -> Void

    init(released: @escaping @Sendable () -> Void = {}) {
        self.released = released
    }

    deinit { released() }

    func job(_ job: JobController, didRecord event: JobEvent) {
        collected.withLock { $0.append(event) }
        log.record("\(event.name) \(event.kind)")
        // R2: every method of the job may be called.
        _ = job.trackedTasks
        _ = job.explainStall()
    }

    var events: [JobEvent] { collected.withLock { $0 } }

    func kinds(of name: String) -> [JobEvent.Kind] {
        events.filter { $0.name == name }.map(\.kind)
    }
}
