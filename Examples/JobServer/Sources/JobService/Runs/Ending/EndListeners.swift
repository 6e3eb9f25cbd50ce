import JobStore
import Synchronization

/// Notifies code of the process of the ends of runs, in order, once each is saved.
///
/// > Thread: Any. The closures run in a separate Swift task, one after another.
final class EndListeners: Sendable {
    typealias Listener = @Sendable (RunRecord) async -> Void

    private let listeners = Mutex<[Listener]>([])
    private let ends = AsyncStream<RunRecord>.makeStream()

    func add(_ listener: @escaping Listener) {
        listeners.withLock { $0.append(listener) }
    }

    func tell(_ record: RunRecord) {
        ends.continuation.yield(record)
    }

    /// Calls the closures until ``finish()``, for all ends reported before it.
    func run() async {
        for await record in ends.stream {
            for listener in listeners.withLock({ $0 }) { await listener(record) }
        }
    }

    func finish() { ends.continuation.finish() }
}
