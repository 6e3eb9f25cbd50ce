import Foundation
import Testing

@testable import JobKit

/// R6: there is one slice, line or bar per entry, and names are complete.
@Suite struct TimelineExportTests {
    static let samples: [String: Timeline] = [
        "5": Timeline(SampleTimelines.simulated(count: 5, width: 2)),
        "500": Timeline(SampleTimelines.simulated(count: 500, width: 6)),
        "names": Timeline(SampleTimelines.awkward),
        "nested": Timeline(SampleTimelines.nested(depth: 300)),
    ]

    @Test(arguments: samples.keys.sorted()) func chromeTraceHasASliceForEachEntry(sample: String)
        throws
    {
        let timeline = try #require(Self.samples[sample])
        let json = try JSONSerialization.jsonObject(with: timeline.chromeTrace())
        let trace = try #require(json as? [String: Any])
        let events = try #require(trace["traceEvents"] as? [[String: Any]])
        let slices = events.filter { $0["ph"] as? String == "X" }
        #expect(slices.count == timeline.entries.count)
        for (slice, entry) in zip(slices, timeline.entries) {
            #expect(slice["name"] as? String == entry.name)
            #expect(slice["tid"] as? Int == entry.lane + 1)
            #expect(slice["ts"] as? Double == entry.start / .microseconds(1))
            #expect(slice["dur"] as? Double == (entry.end - entry.start) / .microseconds(1))
            let arguments = try #require(slice["args"] as? [String: Any])
            #expect(arguments["outcome"] as? String == entry.outcomeWord)
            #expect(arguments["job"] as? String == entry.parent.map { timeline.entries[$0].name })
            #expect(arguments["type"] as? String == entry.typeName)
            #expect(slice["cat"] as? String == entry.group ?? entry.typeName)
            #expect((arguments["error"] != nil) == (entry.outcomeWord == "failed"))
        }
        let threads = events.filter { $0["name"] as? String == "thread_name" }
        #expect(threads.count == TimelineFacts(of: timeline).laneCount)
        let critical = slices.filter { ($0["args"] as? [String: Any])?["critical"] != nil }
        #expect(critical.count == timeline.criticalPath.count)
    }

    @Test(arguments: samples.keys.sorted()) func mermaidHasALineForEachEntry(sample: String) throws
    {
        let timeline = try #require(Self.samples[sample])
        let lines = timeline.mermaid().split(separator: "\n").map(String.init)
        #expect(lines.first == "gantt")
        var drawn: [Int: String] = [:]
        for line in lines where line.contains(" :") {
            let task = try #require(
                line.wholeMatch(
                    of:
                        /\ \ \ \ ([^:;\n%]|#[0-9]+;)+ :(active, |crit, |done, )?t([0-9]+), [0-9]+, [0-9]+/
                )
            )
            let place = try #require(Int(task.3))
            let name = String(line.dropFirst(4).prefix { $0 != ":" }.dropLast())
            #expect(drawn.updateValue(name, forKey: place) == nil)
        }
        #expect(drawn.count == timeline.entries.count)
        for (place, entry) in timeline.entries.enumerated() {
            #expect(drawn[place].map(unescapedMermaid) == entry.name.oneLine)
        }
    }

    @Test(arguments: samples.keys.sorted()) func svgHasABarForEachEntry(sample: String) throws {
        let timeline = try #require(Self.samples[sample])
        let bars = try SVGBars(parsing: timeline.svg())
        #expect(bars.tips.count == timeline.entries.count)
        let names = timeline.entries.map(\.name).map(xmlVisible).sorted()
        #expect(
            bars.tips
                .map { tip in
                    tip.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2)
                        .joined(separator: "\n")
                }
                .sorted() == names
        )
    }

    @Test func pathUnderlinesItsOwnBarsOnly() {
        let upload = SampleTimelines.Upload.self
        let timeline = Timeline([
            SampleTimelines.interval("import", SampleTimelines.Import.self, nil, 0, 1_160),
            SampleTimelines.interval("first", upload, 0, 0, 100),
            SampleTimelines.interval("beside the path", upload, 0, 200, 900),
            SampleTimelines.interval("last", upload, 0, 1_060, 1_160, after: [1]),
        ])
        let svg = timeline.svg()
        #expect(svg.contains("<path class=\"path\" d=\"M20 123.1H119.4M1080 123.1H1179.4\"/>"))
    }

    @Test(arguments: samples.keys.sorted()) func textHasALineForEachEntry(sample: String) throws {
        let timeline = try #require(Self.samples[sample])
        let text = timeline.text()
        let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let lines = all.prefix { !$0.isEmpty }
        #expect(lines.count == timeline.entries.count)
        #expect(all.dropFirst(lines.count + 1).count == timeline.groups.count)
        #expect(lines.count { $0.hasPrefix("*") } == timeline.criticalPath.count)
        for entry in timeline.entries {
            #expect(lines.contains { $0.contains(entry.name.oneLine) })
        }
    }

    @Test func textAlignsItsColumns() {
        let upload = SampleTimelines.Upload.self
        var failed = SampleTimelines.interval("resize", upload, 0, 100, 12_300)
        failed.outcome = .failed(SampleTimelines.Broken())
        let timeline = Timeline([
            SampleTimelines.interval("import", SampleTimelines.Import.self, nil, 0, 24_000),
            failed, SampleTimelines.interval("upload", upload, 0, 12_400, 24_000, after: [1]),
        ])
        #expect(
            timeline.text() == """
                   0.0 ms  24.0 ms  ━━━━━━━━━━━━━━━━━━━━━━━━  import
                *  0.1 ms  12.2 ms  ━━━━━━━━━━━━━               resize - failed: connection <lost> & "gone"
                * 12.4 ms  11.6 ms              ━━━━━━━━━━━━    upload

                Upload: 2 tasks, 23.8 ms
                """
        )
    }

    /// A job with two groups that continues after its last task and was not recorded to its end.
    private var grouped: Timeline {
        let upload = SampleTimelines.Upload.self
        var photos = (0..<3)
            .map { SampleTimelines.interval("\($0).jpg", upload, 0, $0 * 100, $0 * 100 + 200) }
        for place in photos.indices { photos[place].group = "photos: <raw>" }
        return Timeline(
            [SampleTimelines.interval("import", SampleTimelines.Import.self, nil, 0, 1_000)]
                + photos + [SampleTimelines.interval("index", upload, 0, 400, 700)],
            omittedCount: 7
        )
    }

    @Test func jobCountsInTheNamedGroupThatItWasTrackedWith() {
        let upload = SampleTimelines.Upload.self
        var retry = SampleTimelines.interval("retry", SampleTimelines.Album.self, 0, 0, 500)
        retry.group = "files"
        let timeline = Timeline([
            SampleTimelines.interval("sync", SampleTimelines.Import.self, nil, 0, 500), retry,
            SampleTimelines.interval("attempt", upload, 1, 0, 400),
            SampleTimelines.interval("album", SampleTimelines.Album.self, 0, 0, 300),
            SampleTimelines.interval("photo", upload, 3, 0, 300),
        ])
        #expect(timeline.groups.map(\.name) == ["Upload", "files"])
        #expect(timeline.groups.map(\.taskCount) == [2, 1])
        // A job is drawn as a background, so its group has no colour.
        #expect(timeline.svg().contains("Upload (2 tasks"))
        #expect(!timeline.svg().contains("files ("))
    }

    @Test func groupsAreNamedAndSummed() {
        let timeline = grouped
        #expect(timeline.groups.map(\.name) == ["photos: <raw>", "Upload"])
        #expect(timeline.groups.map(\.taskCount) == [3, 1])
        #expect(timeline.groups.map(\.duration) == [.microseconds(600), .microseconds(300)])
        let text = timeline.text()
        #expect(text.contains("  0.jpg [photos: <raw>]\n"))
        #expect(
            text.contains("\n\nphotos: <raw>: 3 tasks, 600 µs\nUpload: 1 task, 300 µs\n")
        )
        let svg = timeline.svg()
        #expect(svg.contains(">photos: &lt;raw&gt; (3 tasks, 600 µs)</text>"))
        #expect(svg.contains("Upload, group photos: &lt;raw&gt; in import"))
        #expect(svg.components(separatedBy: "<rect class=\"t0\"").count == 4)
        #expect(svg.components(separatedBy: "<rect class=\"t1\"").count == 2)
    }

    @Test func jobsTimeAfterItsLastTaskIsInTheText() {
        let timeline = grouped
        #expect(timeline.entries.map(\.timeAfterTasks) == [.microseconds(300), nil, nil, nil, nil])
        #expect(timeline.text().contains("import - 300.0 µs after its last task\n"))
    }

    @Test func everyFormatHasTheCountOfUnrecordedTasks() {
        let timeline = grouped
        #expect(timeline.text().hasSuffix("\n7 more were not recorded"))
        #expect(timeline.mermaid().contains("title 7 more were not recorded\n"))
        #expect(timeline.svg().contains("7 more not recorded"))
        #expect(
            String(decoding: timeline.chromeTrace(), as: UTF8.self).contains("\"not recorded\":7")
        )
    }

    @Test func pictureHasColoursForDarkReaders() {
        #expect(grouped.svg().contains("@media (prefers-color-scheme:dark){"))
    }

    @Test func everyFormOfTenThousandEntriesIsWritten() throws {
        let timeline = Timeline(
            SampleTimelines.simulated(count: 10_000, width: 8, albumSize: 800)
        )
        #expect(
            timeline.text().utf8.count { $0 == UInt8(ascii: "\n") }
                == 10_000 + timeline.groups.count
        )
        #expect(timeline.mermaid().utf8.count { $0 == UInt8(ascii: ":") } == 10_000)
        #expect(timeline.chromeTrace().count > 10_000)
        #expect(timeline.svg().utf8.count < 10_000 * 250)
    }

    private func unescapedMermaid(_ text: String) -> String {
        text.replacing(/#([0-9]+);/) { match in
            UInt32(match.1).flatMap(Unicode.Scalar.init).map(String.init) ?? ""
        }
    }

    /// Returns the name as an XML reader returns it.
    private func xmlVisible(_ name: String) -> String {
        name.unicodeScalars
            .map { scalar in
                switch scalar {
                case "\t", "\n", "\r": String(scalar)
                case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}":
                    scalar.picture ?? ""
                default: String(scalar)
                }
            }
            .joined()
    }
}
