import Foundation
import XCTest

@testable import JobJournal

/// B2 with files of sessions that the test writes.
final class OutboxSessionTests: XCTestCase {
    func testEntriesOfAnEarlierBootMayHaveBegunInAllLaterSessions() async throws {
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
        // This writes the session's first record.
        try first.add("b")
        await first.close()
        let second = try folder.outbox(.with { $0.suspendedFor = ["test"] })
        XCTAssertEqual(second.entries().first?.mayHaveBegun, true)
        await second.close()
    }
}
