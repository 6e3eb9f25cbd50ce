import Foundation
import Scheduler
import XCTest

/// A race that a scheduler explores.
class Programs: XCTestCase {
    private static let environment = ProcessInfo.processInfo.environment
    /// New seeds in each run, unless `JOBKIT_SCHEDULE_SEED` is set.
    private static let seed =
        environment["JOBKIT_SCHEDULE_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970) &* 1_000_000
    private static let seconds =
        environment["JOBKIT_SCHEDULE_SECONDS"].flatMap { Double($0) } ?? 0.5
    private static let limit =
        environment["JOBKIT_SCHEDULE_LIMIT"].flatMap { Int($0) } ?? 1_000

    /// Explores the schedules of a program, and fails with the smallest schedule that was found.
    func explore(
        file: StaticString = #filePath,
        line: UInt = #line,
        _ program: @escaping (World) -> Void
    ) {
        let explorer = Explorer(
            name,
            exhaustiveLimit: Self.limit,
            seconds: Self.seconds,
            program
        )
        if let choices = Self.environment["JOBKIT_SCHEDULE"] {
            guard let failure = explorer.replay(choices) else {
                return print("\(name) keeps its rules in the schedule '\(choices)'.")
            }
            return XCTFail("\(failure.text)\n\(failure.trace)", file: file, line: line)
        }
        if let limit = Self.environment["JOBKIT_SCHEDULE_SEARCH"].flatMap({ Int($0) }) {
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
