import Foundation
import JobJournal
import XCTest

/// B1 to B6, B11: thousands of random programs, and an outbox that is used for a long time.
final class OutboxEnduranceTests: XCTestCase {
    private func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// `OUTBOX_PROGRAMS` is the number of programs, and `OUTBOX_SEED` the first seed.
    func testRandomProgramsAgreeWithTheOracle() async throws {
        let first = number("OUTBOX_SEED").map { UInt64($0) } ?? .random(in: 1...1 << 40)
        let count = number("OUTBOX_PROGRAMS") ?? 20_000
        print("\(name): \(count) programs from the seed \(first)")
        let failures = await OutboxProgram.failures(ofSeeds: first..<first + UInt64(count))
        XCTAssertEqual(failures, [])
    }

    /// `OUTBOX_ENTRIES` is the number of entries.
    func testEntriesOverTimeLeaveASmallFileAndFlatMemory() async throws {
        let count = number("OUTBOX_ENTRIES") ?? 100_000
        let folder = TemporaryFolder(self)
        let outbox = try JobOutbox<String>(at: folder.url, name: "outbox") { _, _ in }
        var (largestFile, memory) = (0, 0)
        for first in stride(from: 0, to: count, by: 1_000) {
            for number in first..<first + 1_000 {
                try outbox.add("\(number)", key: "\(number % 7)")
            }
            await outbox.waitUntilIdle()
            largestFile = max(largestFile, try folder.bytes.count)
            if first == count / 10 / 1_000 * 1_000 { memory = residentBytes() }
        }
        XCTAssertEqual(outbox.counts.waiting, 0)
        XCTAssertLessThan(largestFile, 4 << 20)
        XCTAssertLessThan(residentBytes() - memory, 16 << 20)
        await outbox.close()
        XCTAssertLessThanOrEqual(try folder.bytes.count, 4_096)
        let next = try JobOutbox<String>(at: folder.url, name: "outbox") { _, _ in }
        XCTAssertEqual(try next.add("one more").description, "\(count + 1)")
        await next.close()
    }

    func testItemAbove64MiBIsRefused() async throws {
        let folder = TemporaryFolder(self)
        let outbox = try folder.outbox(.with { $0.suspendedFor = ["test"] })
        let largest = String(repeating: "x", count: (64 << 20) - 2)
        let id = try outbox.add(largest)
        XCTAssertThrowsError(try outbox.add(largest + "x")) {
            XCTAssertTrue($0 is JobJournal.WriteError)
        }
        XCTAssertEqual(try outbox.item(id)?.utf8.count, largest.utf8.count)
        await outbox.close()
    }

    /// The memory of the process, or 0 if the system does not report it.
    private func residentBytes() -> Int {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4_096
    }
}
