/// Compares 200 simultaneous submissions that survive a power cut with those that survive a crash.
enum DurableSubmissions {
    private static let atOnce = 200

    static func measure(_ sizes: Sizes) async throws -> [Figure] {
        var rates: [String: [Double]] = ["power-loss": [], "crash": []]
        let count = max(atOnce, sizes.jobs / 5)
        for _ in 0..<3 {
            for (durability, _) in rates {
                // Nothing else runs, so only submissions are written.
                let server = try await ServerProcess([
                    "--durability", durability, "--jobs", "1", "--queue-limit", "\(20 * count)",
                ])
                try await server.submitSteps(1, milliseconds: 3_600_000)
                _ = try await Requests(.steps(1), to: server.port).perSecond(500)
                let rate = try await Requests(.steps(1), to: server.port)
                    .perSecond(count, connections: atOnce)
                rates[durability, default: []].append(rate)
            }
        }
        let (durable, quick) = ((rates["power-loss"] ?? []).median, (rates["crash"] ?? []).median)
        return [
            Figure(
                name: "submissions on \(atOnce) connections, power-loss to crash",
                value: durable / quick,
                unit: "×",
                bound: .atLeast(0.5),
                parts: "\(Figure.text(durable)) to \(Figure.text(quick)) requests/s"
            )
        ]
    }
}
