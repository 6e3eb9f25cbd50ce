import JobStore
import Synchronization

/// Tells code of the process of the ends of runs, in their order, each when it is written down.
///
/// > Thread: Any. The closures run in a task of their own, one after another.
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

    /// Calls the closures until ``finish()``, all of what was told before included.
    func run() async {
        for await record in ends.stream {
            for listener in listeners.withLock({ $0 }) { await listener(record) }
        }
    }

    func finish() { ends.continuation.finish() }
}
