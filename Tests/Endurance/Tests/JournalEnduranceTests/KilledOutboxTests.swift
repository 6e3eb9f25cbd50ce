import Foundation
import JobJournal
import XCTest

#if os(macOS) || os(Linux)
/// B1, B2, B3: a process with an outbox is killed before, in and after each of its writes, and
/// again in later sessions.
final class KilledOutboxTests: XCTestCase {
    private func session(_ folder: URL, _ kind: String, _ end: [String]) throws -> Int32 {
        try runCrashJob(
            [folder.appendingPathComponent("outbox").path, kind]
                + [folder.appendingPathComponent("log").path] + end
        )
    }

    private func check(_ folder: URL, _ what: String) throws {
        let text = try String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)
        var (added, performed, finished) = (Set<Int>(), Set<Int>(), Set<Int>())
        var latest: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 1, let id = Int(words[1]) else { continue }
            switch words[0] {
            case "added": added.insert(id)
            case "finished": finished.insert(id)
            case "performs":
                XCTAssertFalse(finished.contains(id), "\(what): \(id) was performed again")
                let key = words.dropFirst(2).dropLast().joined(separator: " ")
                if key != "-" {
                    XCTAssertGreaterThanOrEqual(id, latest[key] ?? 0, "\(what): order of \(key)")
                    latest[key] = id
                }
                if !performed.insert(id).inserted {
                    XCTAssertEqual(words.last, "true", "\(what): \(id) may have begun")
                }
            default: break
            }
        }
        XCTAssertEqual(added.subtracting(performed), [], "\(what): added, and never performed")
        XCTAssertTrue(text.hasSuffix("result 0\n"), "\(what): \(text.suffix(80))")
    }

    private func killAtEveryWrite(_ kind: String) throws {
        let stride = journalStride(7)
        let folder = TemporaryFolder(self).url
        var (kills, number) = (0, 1)
        var isBeyondTheEnd = false
        while !isBeyondTheEnd {
            isBeyondTheEnd = true
            for place in ["before", "in", "after"] {
                let one = folder.appendingPathComponent("\(number) \(place)")
                try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true)
                var next = number
                for _ in 1...5 {
                    guard try session(one, kind, [place, "\(next)"]) == SIGKILL else { break }
                    kills += 1
                    isBeyondTheEnd = false
                    next = next * 7 % 23 + 1
                }
                XCTAssertEqual(try session(one, kind, []), 0)
                try check(one, "\(kind) killed \(place) write \(number)")
                try FileManager.default.removeItem(at: one)
            }
            number += stride
        }
        print("\(name): \(kills) kills, up to write \(number)")
        XCTAssertGreaterThan(kills, 20)
    }

    func testKilledAtEveryWrite() throws { try killAtEveryWrite("outbox") }

    func testKilledAtWritesThatAreSynced() throws { try killAtEveryWrite("syncedOutbox") }

    func testFileThatMayNotGrowLosesNothing() throws {
        for limit in [700, 800, 1_000, 1_500, 2_500] {
            let folder = TemporaryFolder(self).url
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            _ = try session(folder, "outbox", ["limit", "\(limit)"])
            XCTAssertEqual(try session(folder, "outbox", []), 0)
            let log = folder.appendingPathComponent("log")
            let text = try String(contentsOf: log, encoding: .utf8)
            XCTAssertTrue(text.hasSuffix("result 0\n"), text)
        }
    }

    func testTwoProcessesDoNotShareAnOutbox() throws {
        let folder = TemporaryFolder(self).url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let home = folder.appendingPathComponent("outbox")
        let outbox = try JobOutbox<Int>(at: home, name: "crashes") { _, _ in }
        XCTAssertEqual(try session(folder, "outbox", []), 2)
        let log = try String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)
        XCTAssertTrue(log.contains("open elsewhere"), log)
        withExtendedLifetime(outbox) {}
    }
}
#endif
