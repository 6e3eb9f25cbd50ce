import JobStore
import Logging
import ServiceLifecycle

/// Logs failures and recoveries of the store, and ends the server when its file is gone.
struct StoreWatch: Service {
    private let logger: Logger
    private let loss = AsyncStream<String>.makeStream()

    init(logger: Logger) {
        self.logger = logger
    }

    /// Handles news of the store on the store's thread.
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
        // During a shutdown, a loss is not reported, because nothing is accepted any longer.
    }
}
