import Dispatch
import Foundation
import JobKit
import Synchronization

/// Handles ^C and requests to terminate.
///
/// Before the job runs, a signal ends the process. The first signal after that cancels the job,
/// which waits for its workers. A second signal ends the process at once.
struct Interruption {
    private let received = ReceivedSignal()
    private let sources: [any DispatchSourceSignal]

    init() {
        let queue = DispatchQueue(label: "find-duplicates-on-hosts.signals")
        sources = [SIGINT, SIGTERM]
            .map { [received] number in
                Foundation.signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { received.receive(number) }
                source.resume()
                return source
            }
    }

    /// The first signal during the run of the job.
    var signal: Int32? { received.first }

    /// Sets the job, which is about to run.
    func began(_ job: JobController) {
        received.began(job)
    }
}

/// Stores the first signal and the job that it cancels.
private final class ReceivedSignal: Sendable {
    private let state = Mutex<(job: JobController?, first: Int32?)>((nil, nil))

    var first: Int32? { state.withLock { $0.first } }

    func began(_ job: JobController) {
        state.withLock { $0.job = job }
    }

    func receive(_ number: Int32) {
        let job = state.withLock { state -> JobController? in
            guard state.first == nil, let job = state.job else { return nil }
            state.first = number
            return job
        }
        guard let job else { exit(128 + number) }
        job.cancel()
    }
}
