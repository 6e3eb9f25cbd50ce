import Foundation
import JobKit
import JobKitTesting
import JobObservability
import JobStore
import Logging
import PrometheusText
import XCTest

@testable import JobService

final class RunnerTests: XCTestCase {
    /// Streams that take what they are given are told the last ends, however busy the machine is.
    func testShutdownWaitsLongerForStreamsThatAreNotStuck() async throws {
        let (runner, _) = try makeRunner([])
        runner.open(with: [])
        let dropped = EventLog()
        let streams = try ["stuck", "slow"]
            .map { name in
                let connection = EventHub.Connection(
                    isStuck: { name == "stuck" },
                    drop: { dropped.record(name) }
                )
                return try XCTUnwrap(runner.hub.subscribe(connection))
            }
        let clock = ManualClock()
        let service = Task { try await RunnerService(runner: runner, clock: clock).run() }
        runner.stop()
        let step = Duration.milliseconds(50)
        for count in 1...20 {
            await clock.waitForDeadline(.init(elapsed: step * count))
            clock.advance(by: step)
        }
        await clock.waitForDeadline(.init(elapsed: step * 21))
        XCTAssertEqual(dropped.events, ["stuck"])
        for stream in streams { stream.end() }
        clock.advance(by: step)
        try await service.value
        XCTAssertEqual(dropped.events, ["stuck"])
    }

    private func makeRunner(_ kinds: [any JobKind]) throws -> (Runner, PrometheusFactory) {
        let path = NSTemporaryDirectory() + "runner-\(UUID().uuidString).sqlite"
        addTeardownBlock {
            for end in ["", "-wal", "-shm", "-journal", ".lock"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let metrics = PrometheusFactory()
        let runner = Runner(
            kinds: JobKinds(kinds),
            environment: JobEnvironment(width: 1),
            store: try JobStore(path: path),
            hub: EventHub(limit: 2),
            width: 1,
            queueLimit: 1,
            grace: .zero,
            metrics: RunMetrics(factory: metrics),
            logger: Logger(label: "runner") { _ in SwiftLogNoOpLogHandler() }
        )
        return (runner, metrics)
    }
}
