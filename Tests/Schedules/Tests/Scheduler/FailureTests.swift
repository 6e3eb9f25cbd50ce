import XCTest

@testable import Scheduler

/// A failing schedule is found, made smaller and repeated.
final class FailureTests: XCTestCase {
    /// A number behind a lock.
    private final class Number: Sendable {
        private let value = Guarded(0)

        func change<Result>(_ body: (inout sending Int) -> sending Result) -> sending Result {
            value.withLock(body)
        }
    }

    /// Two threads increase a number without holding the lock, beside three that do nothing wrong.
    private let lostUpdate = Explorer("lost update", limit: 2_000, seconds: 0) { world in
        let (number, other) = (Number(), Number())
        let increase = {
            let old = number.change { $0 }
            number.change { $0 = old + 1 }
        }
        let wait = { for _ in 0..<3 { other.change { $0 += 1 } } }
        world.together(wait, increase, wait, increase, wait)
        world.expectEqual(number.change { $0 }, 2, "lost:")
    }

    func testFailureIsRepeatedByItsChoices() throws {
        let failure = try XCTUnwrap(lostUpdate.explore(seed: 1).failure)
        for _ in 0..<3 {
            let again = try XCTUnwrap(lostUpdate.replay(failure.choices))
            XCTAssertEqual(again.text, failure.text)
            XCTAssertEqual(again.trace, failure.trace)
        }
        XCTAssertTrue(failure.text.contains("1 is not 2"), failure.text)
        XCTAssertNil(lostUpdate.replay(""))
    }

    func testMinimizerKeepsOnlyThePreemption() throws {
        // A random walk switches at half of the points.
        let walks = lostUpdate.search(seed: 0, limit: 300)
        XCTAssertNotNil(walks.first { $0.strategy == "random" }?.schedules)
        let failure = try XCTUnwrap(lostUpdate.explore(seed: 1).failure)
        XCTAssertLessThanOrEqual(Choices.parse(failure.choices).count, 2, failure.choices)
    }

    func testDeadlockIsReportedWithTheLinesOfItsThreads() throws {
        let explorer = Explorer("deadlock", limit: 1_000, seconds: 0) { world in
            let (a, b) = (Number(), Number())
            world.together(
                { a.change { _ in b.change { _ in } } },
                { b.change { _ in a.change { _ in } } }
            )
        }
        let report = explorer.explore(seed: 1)
        let failure = try XCTUnwrap(report.failure)
        XCTAssertTrue(failure.text.contains("No thread can continue."), failure.text)
        XCTAssertTrue(failure.text.contains("FailureTests.swift"), failure.text)
        // Without a preemption, each thread takes both locks.
        XCTAssertEqual(report.bound, 0)
    }

    func testSeedsRepeatTheirSchedules() {
        func choices(_ strategy: any Strategy) -> [Int] {
            var choices: [Int] = []
            let schedule = Schedule(strategy)
            schedule.run { world in
                world.together(
                    { for _ in 0..<5 { world.point() } },
                    { for _ in 0..<5 { world.point() } }
                )
            }
            choices = schedule.choices.map(\.taken)
            return choices
        }
        for seed in UInt64(1)...5 {
            XCTAssertEqual(choices(RandomWalk(seed: seed)), choices(RandomWalk(seed: seed)))
            let priorities = Priorities(seed: seed, count: 20)
            XCTAssertEqual(choices(priorities), choices(priorities))
        }
        XCTAssertGreaterThan(Set((1...5).map { choices(RandomWalk(seed: $0)) }).count, 1)
    }
}
