import Foundation
import Synchronization

/// Measures the effect of 20 viewers of a run with 100,000 unfinished tasks on the run and others.
enum Viewers {
    private static let count = 20

    static func measure(_ sizes: Sizes) async throws -> [Figure] {
        let server = try await ServerProcess(["--width", "2"])
        // The tasks last longer than the measurement, and 100,000 of them are tracked at a time.
        let id = try await server.submitSteps(1_000_000, milliseconds: 1)
        try await Task.sleep(for: .seconds(3))
        var (alone, watched, delays): ([Double], [Double], [Double]) = ([], [], [])
        // The viewers come and go, so that both cases have the same number of unfinished tasks.
        for _ in 0..<(sizes.rounds > 3 ? 4 : 2) {
            alone.append(try await tasksPerSecond(of: id, server))
            let viewing = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<count { group.addTask { try await look(at: id, server) } }
                    try await group.waitForAll()
                }
            }
            let probing = Task { try await healthDelays(server) }
            watched.append(try await tasksPerSecond(of: id, server))
            viewing.cancel()
            probing.cancel()
            _ = await viewing.result
            delays += (try? await probing.value) ?? []
        }
        return [
            Figure(
                name: "tasks a second of a run that \(count) look at, to nobody",
                value: watched.median / alone.median,
                unit: "×",
                bound: .atLeast(0.8),
                parts: "\(Figure.text(watched.median)) to \(Figure.text(alone.median)) tasks/s"
            ),
            Figure(
                name: "GET /health meanwhile, p99",
                value: delays.quantile(0.99),
                unit: "ms",
                bound: .atMost(100),
                parts: "\(delays.count) requests, p50 \(Figure.text(delays.median)) ms"
            ),
        ]
    }

    /// Sends requests like the page does, half a second after each answer.
    private static func look(at id: Int, _ server: ServerProcess) async throws {
        while !Task.isCancelled {
            try await Requests(.get("/jobs/\(id)"), to: server.port).send()
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private static func healthDelays(_ server: ServerProcess) async throws -> [Double] {
        var delays: [Double] = []
        while !Task.isCancelled {
            let start = ContinuousClock.now
            try await Requests(.get("/health"), to: server.port).send()
            delays.append((ContinuousClock.now - start) / .milliseconds(1))
            try? await Task.sleep(for: .milliseconds(20))
        }
        return delays
    }

    private static func tasksPerSecond(of id: Int, _ server: ServerProcess) async throws -> Double {
        let (first, start) = (try await finished(id, server), ContinuousClock.now)
        try await Task.sleep(for: .seconds(6))
        let (last, end) = (try await finished(id, server), ContinuousClock.now)
        return Double(last - first) / ((end - start) / .seconds(1))
    }

    private static func finished(_ id: Int, _ server: ServerProcess) async throws -> Int {
        let text = try await Requests(.get("/metrics"), to: server.port).send()
        return text.split(separator: "\n")
            .filter { $0.hasPrefix("jobkit_tasks_total") && $0.contains("succeeded") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0) { $0 + Int($1) }
    }
}
