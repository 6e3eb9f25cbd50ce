/// Measures many small jobs that are submitted on 16 connections.
enum Submissions {
    static func measure(_ sizes: Sizes) async throws -> [Figure] {
        let server = try await ServerProcess(["--queue-limit", "\(sizes.jobs)"])
        let blocks = 5
        let share = sizes.jobs / blocks
        // Creates everything that is allocated once or kept for the latest runs.
        _ = try await Requests(.steps(1), to: server.port).perSecond(1_000)
        _ = try await Requests(.get("/health"), to: server.port).perSecond(1_000)
        try await server.waitUntilIdle()
        let before = server.residentKiB
        var (submitted, asked): ([Double], [Double]) = ([], [])
        for _ in 0..<blocks {
            submitted.append(try await Requests(.steps(1), to: server.port).perSecond(share))
            try await server.waitUntilIdle()
            asked.append(try await Requests(.get("/health"), to: server.port).perSecond(share))
        }
        let grown = server.residentKiB - before
        return [
            Figure(
                name: "\(sizes.jobs) jobs of one task submitted, to GET /health",
                value: submitted.median / asked.median,
                unit: "×",
                bound: .atLeast(0.25),
                parts: "\(Figure.text(submitted.median)) to \(Figure.text(asked.median)) requests/s"
            ),
            Figure(
                name: "resident memory afterwards, more for each",
                value: grown / Double(sizes.jobs),
                unit: "KiB",
                bound: .atMost(1),
                parts: "\(Figure.text(grown)) KiB more than \(Figure.text(before)) KiB"
            ),
        ]
    }
}
