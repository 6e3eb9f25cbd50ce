import Foundation
import NIOCore
import Synchronization

/// Measures the events that one listener receives for a long job.
enum WatchedServer {
    static func measure(_ sizes: Sizes) async throws -> [Figure] {
        // Tasks of one millisecond make the job take a few seconds.
        let server = try await ServerProcess(["--width", "32"])
        let times = Mutex<[NIODeadline]>([])
        let end = AsyncStream<Void>.makeStream()
        let listener = try await EventListener.open(server.port) { told in
            times.withLock { $0.append(told.time) }
            if told.hasEnded { end.continuation.finish() }
        }
        try await server.submitSteps(sizes.tasks, milliseconds: 1)
        for await _ in end.stream {}
        try await listener.close()
        let told = times.withLock { $0 }
        let lasted = Double(((told.last ?? .now()) - (told.first ?? .now())).nanoseconds) / 1e9
        return [
            Figure(
                name: "events of that job in the busiest second",
                value: Double(mostInOneSecond(told)),
                unit: "/s",
                // The run's end is sent at once.
                bound: .atMost(20),
                parts: "\(told.count) in \(Figure.text(lasted)) s"
            )
        ]
    }

    private static func mostInOneSecond(_ times: [NIODeadline]) -> Int {
        times.indices
            .map { start in times[start...].prefix { $0 < times[start] + .seconds(1) }.count }
            .max() ?? 0
    }
}
