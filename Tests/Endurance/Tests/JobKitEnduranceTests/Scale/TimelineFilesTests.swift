import Foundation
import XCTest

@testable import JobKit

/// Writes sample timelines in every format.
///
/// They go to the folder `TIMELINE_FILES`, which `.ci/checks/timelines` sets, or to a temporary
/// one.
final class TimelineFilesTests: XCTestCase {
    func testWritesTheSamples() throws {
        let named = ProcessInfo.processInfo.environment["TIMELINE_FILES"]
        let temporary = FileManager.default.temporaryDirectory
            .appendingPathComponent("timelines-\(UUID().uuidString)")
        let folder = named ?? temporary.path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: temporary) }
        let samples: [(name: String, intervals: [Timeline.Entry])] = [
            ("5", SampleTimelines.simulated(count: 5, width: 2)),
            ("500", SampleTimelines.simulated(count: 500, width: 6)),
            ("50000", SampleTimelines.simulated(count: 50_000, width: 8, albumSize: 800)),
            ("sequential", SampleTimelines.sequential(count: 300)),
            ("wide", SampleTimelines.wide(count: 400)),
            ("wide50000", SampleTimelines.wide(count: 50_000)),
            ("names", SampleTimelines.awkward),
            ("deep", SampleTimelines.nested(depth: 1_000)),
            ("empty", []),
        ]
        for sample in samples {
            let timeline = Timeline(sample.intervals)
            let file = { URL(fileURLWithPath: folder).appendingPathComponent(sample.name + $0) }
            try timeline.chromeTrace().write(to: file(".json"))
            try Data(timeline.svg().utf8).write(to: file(".svg"))
            try Data(timeline.mermaid().utf8).write(to: file(".mmd"))
            try Data(timeline.text().utf8).write(to: file(".txt"))
            XCTAssertEqual(timeline.entries.count, sample.intervals.count)
            XCTAssertGreaterThan(try Data(contentsOf: file(".svg")).count, 0)
        }
    }
}
