import Foundation
import Scheduler
import XCTest

/// A race that a scheduler explores.
class Programs: XCTestCase {
    private static let environment = ProcessInfo.processInfo.environment
    /// New seeds in each run, unless `JOBKIT_SCHEDULE_SEED` is set.
    private static let seed: UInt64 = {
        let seed: UInt64 = number("SEED") ?? UInt64(Date().timeIntervalSince1970) &* 1_000_000
        print("JOBKIT_SCHEDULE_SEED=\(seed)")
        return seed
    }()
    private static let seconds: Double = number("SECONDS") ?? 0.5
    private static let limit: Int = number("LIMIT") ?? 1_000

    private static func number<Value: LosslessStringConvertible>(_ name: String) -> Value? {
        environment["JOBKIT_SCHEDULE_\(name)"].flatMap { Value($0) }
    }

    /// Explores the schedules of a program, and fails with the smallest schedule that was found.
    func explore(
        file: StaticString = #filePath,
        line: UInt = #line,
        _ program: @escaping (World) -> Void
    ) {
        let explorer = Explorer(
            name,
            limit: Self.limit,
            seconds: Self.seconds,
            program
        )
        if let choices = Self.environment["JOBKIT_SCHEDULE"] {
            guard let failure = explorer.replay(choices) else {
                return print("\(name) keeps its rules in the schedule '\(choices)'.")
            }
            return XCTFail("\(failure.text)\n\(failure.trace)", file: file, line: line)
        }
        if let seconds: Double = Self.number("THREADS") {
            let (count, hasFailed) = explorer.runOnThreads(seconds: seconds)
            return print("threads: \(name): \(hasFailed ? "" : "not in ")\(count)")
        }
        if let limit: Int = Self.number("SEARCH") {
            let found = explorer.search(seed: Self.seed, limit: limit)
                .map { "\($0.strategy) \($0.schedules.map(String.init) ?? "–")" }
            return print("found: \(name): \(found.joined(separator: ", "))")
        }
        let report = explorer.explore(seed: Self.seed)
        print("| \(name) | \(report.points) | \(report.schedules) | \(report.bound) |")
        guard let failure = report.failure else { return }
        let filter = name.replacingOccurrences(of: ".", with: "/")
        let found = report.found.map { "\($0.strategy), schedule \($0.schedules)" }.joined()
        XCTFail(
            """
            \(failure.text) (\(found))
            JOBKIT_SCHEDULE='\(failure.choices)' swift test --package-path Tests/Schedules \
            --filter \(filter)
            \(failure.trace)
            """,
            file: file,
            line: line
        )
    }
}
