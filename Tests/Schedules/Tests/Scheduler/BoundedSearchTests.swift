import XCTest

@testable import Scheduler

/// Compares bounded search with counts that are known, and with a search of all schedules.
final class BoundedSearchTests: XCTestCase {
    private func explorer(_ program: @escaping (World) -> Void) -> Explorer {
        Explorer("program", limit: 100_000, seconds: 0, program)
    }

    /// The number of schedules, and their different results.
    private func search<Result: Hashable>(
        bound: Int,
        isReduced: Bool,
        _ program: @escaping (World) -> Result
    ) -> (count: Int, results: Set<Result>) {
        var (count, results) = (0, Set<Result>())
        let explorer = explorer { results.insert(program($0)) }
        let isComplete = explorer.runAll(bound: bound, limit: 100_000, isReduced: isReduced) { _ in
            count += 1
            return false
        }
        XCTAssertTrue(isComplete)
        return (count, results)
    }

    /// Threads that record their names some times, and the order of these names.
    private func recording(_ steps: Int, _ names: String...) -> (World) -> [String] {
        { world in
            for name in names {
                world.spawn(name) {
                    for _ in 0..<steps {
                        world.point()
                        world.record(name)
                    }
                }
            }
            world.join()
            return world.events
        }
    }

    /// Two threads of 3 steps (a start and 2 records) have 6! / (3! · 3!) = 20 interleavings.
    func testAllInterleavingsOfTwoThreads() {
        let counts = (0...4)
            .map {
                search(bound: $0, isReduced: false, recording(2, "a", "b")).count
            }
        // With 2, 3, 4, 5 and 6 blocks, there are 2, 4, 8, 4 and 2 more.
        XCTAssertEqual(counts, [2, 6, 14, 18, 20])
    }

    /// The records of two threads conflict: 4! / (2! · 2!) = 6 orders, and 20 of three each.
    func testReducedSearchRunsEachOrderOfConflicts() {
        for (steps, orders) in [(2, 6), (3, 20)] {
            let program = recording(steps, "a", "b")
            let all = search(bound: 8, isReduced: false, program)
            let reduced = search(bound: 8, isReduced: true, program)
            XCTAssertEqual(reduced.results.count, orders)
            XCTAssertEqual(reduced.results, all.results)
            XCTAssertLessThanOrEqual(reduced.count, all.count)
        }
    }

    func testThreadsThatShareNothingHaveOneSchedule() {
        let result = search(bound: 8, isReduced: true) { world in
            for name in ["a", "b", "c"] {
                world.spawn(name) {
                    let lock = Guarded(0)
                    for _ in 0..<3 { lock.withLock { $0 += 1 } }
                }
            }
            world.join()
            return 0
        }
        XCTAssertEqual(result.count, 1)
    }

    /// Random programs have the same results in a reduced search and in a search of all schedules.
    func testReducedSearchFindsEveryResult() {
        final class Locks: @unchecked Sendable {
            let lists = (0..<2).map { _ in List() }
            let count = Atomic<Int>(0)
            final class List: Sendable { let names = Guarded<[Int]>([]) }
        }
        for seed in UInt64(1)...6 {
            var generator = SeededGenerator(seed: seed)
            let steps = (0..<3)
                .map { _ in (0..<2).map { _ in Int.random(in: 0..<5, using: &generator) } }
            let program = { (world: World) -> [[Int]] in
                let locks = Locks()
                var seen: [Int] = []
                for (thread, steps) in steps.enumerated() {
                    world.spawn("\(thread)") {
                        for step in steps {
                            switch step {
                            case 0, 1: locks.lists[step].names.withLock { $0.append(thread) }
                            case 2:
                                let list = locks.lists[0].names.withLock { $0 }
                                locks.lists[1].names.withLock { $0 += list }
                            case 3: locks.count.add(1, ordering: .relaxed)
                            default: seen.append(thread * 10 + locks.count.load(ordering: .relaxed))
                            }
                        }
                    }
                }
                world.join()
                return locks.lists.map { $0.names.withLock { $0 } } + [seen.sorted()]
            }
            for bound in 0...2 {
                let all = search(bound: bound, isReduced: false, program)
                let reduced = search(bound: bound, isReduced: true, program)
                XCTAssertEqual(reduced.results, all.results, "seed \(seed), \(bound) preemptions")
                XCTAssertLessThanOrEqual(reduced.count, all.count)
            }
        }
    }
}
