import Dispatch
import Foundation
import Synchronization

/// Hears of ^C, and of a request to terminate, while the job runs.
///
/// The first signal asks the job to stop. A second one ends the process at once, in case that
/// something does not stop: a file of a server that does not answer, for example.
struct Interruption {
    private static let signals = [SIGINT, SIGTERM]

    private let received = ReceivedSignal()
    private let sources: [any DispatchSourceSignal]

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - first: Called on a queue of its own on the first signal.
    ///   - second: Called there before a second one ends the process.
    init(first: @escaping @Sendable () -> Void, second: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "find-duplicates.signals")
        sources = Interruption.signals.map { [received] number in
            Foundation.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if received.receive(number) { return first() }
                second()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// The first signal that came, if one did.
    var signal: Int32? { received.first }

    /// Gives the signals their usual meaning back, which is to end the process.
    func stopWatching() {
        for source in sources { source.cancel() }
        for number in Interruption.signals { Foundation.signal(number, SIG_DFL) }
    }
}

/// Remembers the first signal.
private final class ReceivedSignal: Sendable {
    private let number = Mutex<Int32?>(nil)

    var first: Int32? { number.withLock { $0 } }

    /// Takes a signal and says whether it is the first.
    func receive(_ signal: Int32) -> Bool {
        number.withLock { number in
            defer { number = number ?? signal }
            return number == nil
        }
    }
}
