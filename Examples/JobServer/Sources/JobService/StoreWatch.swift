import JobStore
import Logging
import ServiceLifecycle

/// Logs when the store begins to fail and when it is back, and ends the server when its file is gone.
struct StoreWatch: Service {
    private let logger: Logger
    private let loss = AsyncStream<String>.makeStream()

    init(logger: Logger) {
        self.logger = logger
    }

    /// Takes the store's news; called on its thread.
    func told(_ news: StoreNews) {
        switch news {
        case .failing(let reason):
            logger.error(
                "The database cannot be written; runs and ends wait",
                metadata: ["error.message": "\(reason)"]
            )
        case .back: logger.info("The database can be written again")
        case .lost(let reason):
            logger.critical("The database is lost", metadata: ["error.message": "\(reason)"])
            loss.continuation.yield(reason)
        }
    }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await reason in loss.stream { throw StartUpError(74, "\(reason).") }
        }
        // In a shutdown a loss is no news: nothing is accepted any more.
    }
}
