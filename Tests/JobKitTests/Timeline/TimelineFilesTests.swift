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
            ("names", awkward),
            ("deep", deep),
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

    private var awkward: [Timeline.Interval] {
        let names = SampleTimelines.awkwardNames
        let end = names.count * 1_000
        return [
            SampleTimelines.interval("awkward: <names>", SampleTimelines.Import.self, nil, 0, end)
        ]
            + names.enumerated()
            .map { index, name in
                SampleTimelines.interval(
                    name,
                    SampleTimelines.Upload.self,
                    0,
                    index * 500,
                    index * 1_000 + 1_000
                )
            }
    }

    /// Jobs in jobs, a thousand deep.
    private var deep: [Timeline.Interval] {
        (0..<1_000)
            .map { level in
                SampleTimelines.interval(
                    "Level \(level)",
                    SampleTimelines.Album.self,
                    level == 0 ? nil : level - 1,
                    level,
                    3_000 - level
                )
            }
    }
}
