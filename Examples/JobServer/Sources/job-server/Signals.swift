import Dispatch
import Foundation
import JobService
import Logging
import ServiceLifecycle
import Synchronization

/// Turns SIGTERM and SIGINT into a graceful shutdown, and the second of them into an end.
struct Signals {
    /// Runs a service until it has ended.
    func run(_ service: JobService) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: service,
                        successTerminationBehavior: .gracefullyShutdownGroup
                    )
                ],
                logger: Logger(label: "job-server.signals") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        let count = SignalCount()
        let sources = [SIGTERM, SIGINT]
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
        defer { for source in sources { source.cancel() } }
        try await group.run()
    }
}

/// Tells the first signal from the next ones.
private final class SignalCount: Sendable {
    private let came = Atomic<Bool>(false)

    func isFirst() -> Bool { !came.exchange(true, ordering: .relaxed) }
}
