import Foundation
import XCTest

@testable import JobKit

/// Writes samples in every form where `TIMELINE_FILES` names a folder, for `.ci/check-timelines`.
final class TimelineFilesTests: XCTestCase {
    func testWritesTheSamples() throws {
        guard let folder = ProcessInfo.processInfo.environment["TIMELINE_FILES"] else {
            throw XCTSkip("TIMELINE_FILES names no folder")
        }
        let samples: [(name: String, intervals: [Timeline.Interval])] = [
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
        }
    }
}
