import JobStore
import Logging
import ServiceLifecycle

/// Deletes, once a day, the runs that ended long ago.
struct Sweeper: Service {
    let store: JobStore
    let days: Int
    let logger: Logger
    var clock: any Clock<Duration> = ContinuousClock()

    /// The end before which a run is deleted, in milliseconds since 1970.
    static func limit(now: Int64, days: Int) -> Int64 { now - Int64(days) * 86_400_000 }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await clock.sleep(for: .seconds(86_400))
                do {
                    let limit = Self.limit(now: RunClock.now, days: days)
                    let count = try await store.deleteRuns(endedBefore: limit)
                    logger.info("Old runs were deleted", metadata: ["runs.deleted": "\(count)"])
                } catch {
                    logger.error(
                        "Old runs cannot be deleted",
                        metadata: ["error.message": "\(error)"]
                    )
                }
            }
        }
    }
}
