import Foundation
import Testing

@testable import JobKit

@Suite struct TimelineCodableTests {
    @Test(arguments: TimelineExportTests.samples.keys.sorted())
    func decodedTimelineHasTheSameForms(sample: String) throws {
        let timeline = try #require(TimelineExportTests.samples[sample])
        let decoded = try decode(try JSONEncoder().encode(timeline))
        #expect(decoded == timeline)
        #expect(decoded.entries.map(\.timeAfterTasks) == timeline.entries.map(\.timeAfterTasks))
        #expect(decoded.text() == timeline.text())
        #expect(decoded.svg() == timeline.svg())
        #expect(decoded.mermaid() == timeline.mermaid())
        #expect(decoded.chromeTrace() == timeline.chromeTrace())
        #expect(decoded.criticalPath.map(\.name) == timeline.criticalPath.map(\.name))
    }

    @Test func omittedCountsAndErrorsAreEncoded() throws {
        var failed = SampleTimelines.interval("upload", SampleTimelines.Upload.self, nil, 0, 9)
        failed.outcome = .failed(SampleTimelines.Broken())
        let decoded = try decode(
            try JSONEncoder().encode(Timeline([failed], omittedCount: 7))
        )
        #expect(decoded == Timeline([failed], omittedCount: 7))
        failed.outcome = .failed(SampleError("other"))
        #expect(decoded != Timeline([failed], omittedCount: 7))
        failed.outcome = .cancelled
        #expect(decoded != Timeline([failed], omittedCount: 7))
        #expect(decoded.omittedCount == 7)
        let outcome = try #require(decoded.entries.first?.outcome)
        guard case .failed(let error as Timeline.RecordedError) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.description == SampleTimelines.Broken().description)
    }

    @Test(arguments: [
        #"{"entries":[ENTRY}],"omittedCount":0}"#,
        #"{"entries":[ENTRY,"predecessors":[1]}],"omittedCount":0}"#,
        #"{"entries":[ENTRY,"predecessors":[],"parent":0}],"omittedCount":0}"#,
        #"{"entries":[ENTRY,"predecessors":[],"outcome":"lost"}],"omittedCount":0}"#,
    ])
    func entriesThatDoNotBelongTogetherAreRefused(json: String) {
        let entry = #"{"name":"a","typeName":"A","lane":0,"start":0,"end":1"#
        let text = json.replacingOccurrences(of: "ENTRY", with: entry)
        #expect(throws: DecodingError.self) { try decode(Data(text.utf8)) }
    }

    private func decode(_ data: Data) throws -> Timeline {
        try JSONDecoder().decode(Timeline.self, from: data)
    }
}
