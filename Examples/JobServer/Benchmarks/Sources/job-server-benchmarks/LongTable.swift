import Foundation
import JobStore

/// Measures a list of 50 runs with totals, in a table of half a million.
enum LongTable {
    static func measure(_ sizes: Sizes) async throws -> [Figure] {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "long-table-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try JobStore(path: folder.appending(path: "data").path, durability: .crash)
        let new = NewRun(kind: "steps", title: "1 step of 0 ms", parameters: "{}", submittedAt: 1)
        let share = 1_000
        for _ in 0..<(sizes.runs / share) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<share { group.addTask { _ = try await store.add(new) } }
                try await group.waitForAll()
            }
        }
        var delays: [Double] = []
        for filter in [RunFilter(), RunFilter(states: [.queued]), RunFilter(states: [.failed])] {
            for _ in 0..<20 {
                let start = ContinuousClock.now
                _ = try await store.list(filter)
                delays.append((ContinuousClock.now - start) / .milliseconds(1))
            }
        }
        return [
            Figure(
                name: "a list of 50 with totals, of \(sizes.runs) runs",
                value: delays.median,
                unit: "ms",
                bound: .atMost(20),
                parts: "slowest \(Figure.text(delays.max() ?? 0)) ms of \(delays.count)"
            )
        ]
    }
}
