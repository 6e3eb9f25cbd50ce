import JobStore
import Logging
import ServiceLifecycle

/// Deletes, once a day, the runs that ended long ago.
///
/// The days are counted back from the newest end in the store, or from now if that is earlier. Ends
/// from a clock that was ahead do not count (``RetentionStateMachine``).
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
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await noteServedTime() }
                group.addTask { try await sweepDaily() }
                try await group.waitForAll()
            }
        }
    }

    private func sweepDaily() async throws {
        var last = now()
        while true {
            try await clock.sleep(for: .seconds(86_400))
            // If more than a day and an hour have passed, the clock was set and may be wrong.
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

    /// Counts the hours of service by a monotonic clock.
    private func noteServedTime() async throws {
        while true {
            try await clock.sleep(for: .seconds(3_600))
            // If an hour cannot be saved, the count is only an hour late.
            try? await store.noteServed(3_600_000, at: now())
        }
    }

    /// Deletes old runs.
    ///
    /// If this fails, it is tried again the next day.
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

    /// Removes the journals that no longer belong to a run.
    private func removeJournals() async throws {
        guard let journals else { return }
        for id in journals.ids where try await !store.needsJournal(id) { journals.remove(id) }
    }

    /// Deletes old runs at a start, unless they are more than half of all.
    ///
    /// - Returns: The message to log later, or nil. Nothing is logged before the server is serving.
    func sweepAtStart() async throws -> Logger.Message? {
        let words = try await deleteAtStart()
        try await removeJournals()
        return words
    }

    private func deleteAtStart() async throws -> Logger.Message? {
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

    /// The end before which a run is deleted, in milliseconds since 1970, or nil if no run has
    /// ended.
    private func limit() async throws -> Int64? {
        let time = now()
        return try await store.retention(at: time)?.limit(days: days, now: time)
    }
}
