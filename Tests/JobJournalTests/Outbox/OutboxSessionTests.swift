import Foundation
import XCTest

@testable import JobJournal

/// B2 with files of sessions that the test writes.
final class OutboxSessionTests: XCTestCase {
    func testOnlyEntriesOfAnEarlierBootMayHaveBegunWithoutARecord() async throws {
        let folder = TemporaryFolder(self)
        let fileKey = FileKey(low: 7, high: 11)
        var tail = RecordTail(
            fileKey: fileKey,
            head: .outbox(name: "outbox", nextID: 1),
            session: SessionPayload(isSynced: false, isInDoubt: false, bootID: nil),
            end: 0
        )
        var bytes = tail.takeHead()
        let item = Array("\"a\"".utf8)
        var entry = OutboxEntryPayload(id: 1, position: 1, item: item[...]).record(with: fileKey)
        tail.assignOffset(to: &entry)
        bytes += entry.bytes
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try Data(bytes).write(to: folder.url.appendingPathComponent("outbox.outbox"))
        let first = try folder.outbox(.with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(first.entries().map(\.mayHaveBegun), [true])
        try first.add("b")
        await first.close()
        // The machine was not started again before this session.
        let second = try folder.outbox(.with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(second.entries().map(\.mayHaveBegun), [true, false])
        await second.close()
    }
}
