import JobStore
import Logging
import ServiceLifecycle

/// Deletes, once a day, the runs that ended long ago.
///
/// Long ago is counted from the newest end in the store, or from now if that is earlier: a clock that is
/// ahead for a while deletes nothing.
struct Sweeper: Service {
    let store: JobStore
    let days: Int
    let logger: Logger
    var journals: RunJournal.Place?
    var clock: any Clock<Duration> = ContinuousClock()
    /// The time, in milliseconds since 1970.
    var now: @Sendable () -> Int64 = { RunClock.now }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var last = now()
            while true {
                try await clock.sleep(for: .seconds(86_400))
                // More than a day and an hour: the clock was set meanwhile, and may be wrong.
                let time = now()
                let passed = time - last
                last = time
                guard passed < 90_000_000 else {
                    logger.warning(
                        "Old runs are not deleted today: the clock has jumped",
                        metadata: ["clock.passed.hours": "\(passed / 3_600_000)"]
                    )
                    continue
                }
                await sweep()
            }
        }
    }

    /// Deletes what is old; what cannot be deleted is tried again the next day.
    func sweep() async {
        do {
            guard let limit = try await limit() else { return }
            let count = try await store.deleteRuns(endedBefore: limit)
            try await removeJournals()
            guard count > 0 else { return }
            logger.info("Old runs were deleted", metadata: ["runs.deleted": "\(count)"])
        } catch {
            logger.error("Old runs cannot be deleted", metadata: ["error.message": "\(error)"])
        }
    }

    /// Removes the journals that belong to no run any more.
    private func removeJournals() async throws {
        guard let journals else { return }
        for id in journals.ids where try await !store.needsJournal(id) { journals.remove(id) }
    }

    /// Deletes what is old at a start, unless that is more than half of all.
    ///
    /// - Returns: What the log shall say, if anything; nothing is logged before the server serves.
    func sweepAtStart() async throws -> Logger.Message? {
        guard let limit = try await limit() else { return nil }
        let (count, total) = try await store.endedRuns(before: limit)
        guard count > 0 else { return nil }
        guard count * 2 <= total else {
            return """
                Old runs are not deleted: \(count) of \(total) would be. If the clock is right, they go \
                within a day.
                """
        }
        return "Old runs were deleted: \(try await store.deleteRuns(endedBefore: limit))"
    }

    /// The end before which a run is deleted, in milliseconds since 1970; nil if no run has ended.
    private func limit() async throws -> Int64? {
        guard let newest = try await store.newestEnd() else { return nil }
        return min(newest, now()) - Int64(days) * 86_400_000
    }
}
