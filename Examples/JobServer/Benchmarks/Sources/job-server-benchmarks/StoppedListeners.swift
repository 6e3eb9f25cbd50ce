import NIOCore
import Synchronization

/// Measures the latency of events, with and without other listeners that have stopped reading.
enum StoppedListeners {
    private static let reading = 90
    private static let stopped = 10
    private static let rounds = 3

    static func measure(_ sizes: Sizes) async throws -> [Figure] {
        let server = try await ServerProcess(["--queue-limit", "\(sizes.jobs)"])
        let latencies = Latencies(listeners: reading)
        var listeners: [EventListener] = []
        for number in 0..<reading {
            listeners.append(
                try await EventListener.open(server.port) { latencies.told($0, to: number) }
            )
        }
        _ = try await latencies.measure(sizes.timedJobs, on: server)
        var (without, with): ([Double], [Double]) = ([], [])
        var grown = 0.0
        for _ in 0..<rounds {
            without += try await latencies.measure(sizes.timedJobs, on: server)
            var silent: [EventListener] = []
            for _ in 0..<stopped { silent.append(try await .openStopped(server.port)) }
            // After this, all buffers between the server and a client that does not read are full.
            try await burst(1_000, on: server)
            with += try await latencies.measure(sizes.timedJobs, on: server)
            try await assertFull(server)
            let before = server.residentKiB
            try await burst(sizes.jobs / 2, on: server)
            grown = max(grown, server.residentKiB - before)
            for listener in silent { try await listener.close() }
        }
        for listener in listeners { try await listener.close() }
        let (slow, fast) = (with.quantile(0.99), without.quantile(0.99))
        return [
            Figure(
                name: "\(reading) listeners' p99 with \(stopped) stopped ones, to that without",
                value: slow / fast,
                unit: "×",
                bound: .atMost(2),
                parts: "\(Figure.text(slow)) to \(Figure.text(fast)) ms, medians "
                    + "\(Figure.text(with.median)) to \(Figure.text(without.median)) ms"
            ),
            Figure(
                name: "resident memory for each further job, of which the stopped ones do not hear",
                value: grown / Double(sizes.jobs / 2),
                unit: "KiB",
                // The memory of a job itself, and of its number in the set of each stopped
                // listener.
                bound: .atMost(1 + Double(stopped) * 64 / 1_024),
                parts: "\(Figure.text(grown)) KiB more for \(sizes.jobs / 2) jobs"
            ),
        ]
    }

    private static func burst(_ count: Int, on server: ServerProcess) async throws {
        _ = try await Requests(.steps(1), to: server.port).perSecond(count)
        try await server.waitUntilIdle()
    }

    /// Checks that the stopped listeners are still connected, because the server accepts only 100.
    private static func assertFull(_ server: ServerProcess) async throws {
        do {
            try await EventListener.open(server.port) { _ in }.close()
        } catch is Requests.Refused {
            return
        }
        throw Requests.Refused(description: "The server has closed the stopped listeners")
    }
}

/// The time from the submission of a job until each listener receives its end.
private final class Latencies: Sendable {
    private struct State: Sendable {
        var begin = NIODeadline.now()
        var runID = 0
        var waiting: Set<Int> = []
        var latencies: [Double] = []
    }

    private let listeners: Int
    private let state = Mutex(State())
    private let ends = AsyncStream<Void>.makeStream()

    init(listeners: Int) {
        self.listeners = listeners
    }

    func told(_ told: EventListener.Told, to listener: Int) {
        guard told.hasEnded else { return }
        let isLast = state.withLock { state in
            guard told.runID == state.runID, state.waiting.remove(listener) != nil else {
                return false
            }
            state.latencies.append(Double((told.time - state.begin).nanoseconds) / 1e6)
            return state.waiting.isEmpty
        }
        if isLast { ends.continuation.yield() }
    }

    /// Submits jobs.
    ///
    /// The next one follows when all listeners have received the end of the previous one.
    ///
    /// - Returns: All listeners' latencies, in milliseconds.
    func measure(_ count: Int, on server: ServerProcess) async throws -> [Double] {
        var ended = ends.stream.makeAsyncIterator()
        // There are no other submissions, so the next run has the next number.
        var runID = try await server.submitSteps(1)
        for _ in 0..<count {
            runID += 1
            state.withLock { state in
                state.begin = .now()
                state.runID = runID
                state.waiting = Set(0..<listeners)
            }
            try await server.submitSteps(1)
            await ended.next()
        }
        return state.withLock { state in
            defer { state.latencies = [] }
            return state.latencies
        }
    }
}
