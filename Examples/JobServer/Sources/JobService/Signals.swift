import Dispatch
import Foundation
import ServiceLifecycle
import Synchronization

/// Turns the first SIGTERM or SIGINT into a graceful shutdown, and the second into an immediate
/// end.
struct Signals {
    private let sources: [any DispatchSourceSignal]

    /// Handles signals until ``ignore()``.
    init(stopping group: ServiceGroup) {
        let count = SignalCount()
        sources = [SIGTERM, SIGINT]
            .map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler {
                    guard count.isFirst() else { exit(128 + number) }
                    Task { await group.triggerGracefulShutdown() }
                }
                source.resume()
                return source
            }
    }

    /// Stops handling signals, so that they end the process again.
    func ignore() {
        for source in sources { source.cancel() }
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
    }
}

/// Distinguishes the first signal from later ones.
private final class SignalCount: Sendable {
    private let came = Atomic<Bool>(false)

    func isFirst() -> Bool { !came.exchange(true, ordering: .relaxed) }
}
