import Foundation
import JobJournal
import XCTest

/// B13: a torn end is cut, other damage changes nothing, and salvaging keeps whole records.
final class OutboxDamageTests: XCTestCase {
    private func sample(_ folder: TemporaryFolder, count: Int, size: Int = 10) async throws
        -> [UInt8]
    {
        let outbox = try open(folder)
        for number in 0..<count {
            try outbox.add("\(number) " + String(repeating: "x", count: size), key: "\(number % 3)")
        }
        await outbox.close()
        return try folder.bytes
    }

    private func open(_ folder: TemporaryFolder) throws -> JobOutbox<String> {
        var configuration = OutboxConfiguration<String>()
        configuration.suspendedFor = ["test"]
        return try JobOutbox(at: folder.url, name: "o", configuration: configuration) { _, _ in }
    }

    private func file(_ folder: TemporaryFolder) -> URL {
        folder.url.appendingPathComponent("o.outbox")
    }

    private func numbers(_ folder: TemporaryFolder) async throws -> [Int] {
        let outbox = try open(folder)
        let items = try outbox.entries(limit: .max).map { try outbox.item($0.id) }
        await outbox.close()
        return items.compactMap { $0.flatMap { Int($0.prefix { $0 != " " }) } }
    }

    func testFileCutAnywhereLosesOnlyItsEnd() async throws {
        let folder = TemporaryFolder(self)
        let bytes = try await sample(folder, count: 4)
        var counts: [Int] = []
        let sizes = Array(stride(from: 0, to: bytes.count, by: journalStride(17)))
        for size in sizes + [bytes.count] {
            // With zeros behind the cut, as after a power loss.
            for zeros in [0, 7, 700] {
                try Data(bytes[..<size] + Array(repeating: 0, count: zeros)).write(to: file(folder))
                let found = try await numbers(folder)
                XCTAssertEqual(found, Array(0..<found.count), "cut at \(size) and \(zeros) zeros")
                if zeros == 0 { counts.append(found.count) }
            }
        }
        XCTAssertEqual(counts, counts.sorted())
        XCTAssertEqual(counts.last, 4)
    }

    func testEveryFlippedBitIsFoundAndSalvaged() async throws {
        let folder = TemporaryFolder(self)
        let bytes = try await sample(folder, count: 4)
        for at in stride(from: 0, to: bytes.count, by: journalStride(19)) {
            var damaged = bytes
            damaged[at] ^= 1 << (at % 8)
            try Data(damaged).write(to: file(folder))
            XCTAssertThrowsError(try open(folder), "byte \(at)") {
                XCTAssertTrue($0 is JobJournal.DamagedError, "\($0)")
            }
            XCTAssertEqual(Array(try Data(contentsOf: file(folder))), damaged)
            let isFormat = (8..<12).contains(at)
            guard let salvage = try? OutboxFile.salvage(at: folder.url, name: "o") else {
                XCTAssertTrue(isFormat, "byte \(at)")
                continue
            }
            XCTAssertGreaterThanOrEqual(salvage.keptCount, 3)
            XCTAssertEqual(Array(try Data(contentsOf: XCTUnwrap(salvage.damagedFile))), damaged)
            let kept = try await numbers(folder)
            XCTAssertEqual(kept.count, salvage.keptCount)
            XCTAssertEqual(kept, kept.sorted())
            let again = try OutboxFile.salvage(at: folder.url, name: "o")
            XCTAssertEqual(again.lostByteCount, 0)
            XCTAssertNil(again.damagedFile)
            try OutboxFile.delete(at: folder.url, name: "o")
            XCTAssertEqual(try folder.names, [])
        }
    }

    func testDamagedSectorLosesOnlyItsEntries() async throws {
        let folder = TemporaryFolder(self)
        let bytes = try await sample(folder, count: 200, size: 60)
        XCTAssertGreaterThan(bytes.count, 16_000)
        for sector in stride(from: 0, to: 8_192, by: 512) {
            var damaged = bytes
            for at in sector..<sector + 512 {
                damaged[at] = UInt8(truncatingIfNeeded: at &* 31 &+ 7)
            }
            try Data(damaged).write(to: file(folder))
            XCTAssertThrowsError(try open(folder))
            let salvage = try OutboxFile.salvage(at: folder.url, name: "o")
            XCTAssertGreaterThan(salvage.keptCount, 190, "sector \(sector)")
            XCTAssertGreaterThan(salvage.lostByteCount, 0)
            let outbox = try open(folder)
            XCTAssertTrue(outbox.entries(limit: .max).allSatisfy(\.mayHaveBegun))
            let id = try outbox.add("new")
            XCTAssertGreaterThan(try XCTUnwrap(Int(id.description)), 200)
            XCTAssertThrowsError(try OutboxFile.salvage(at: folder.url, name: "o")) {
                XCTAssertTrue($0 is JobJournal.InUseError)
            }
            await outbox.close()
            try OutboxFile.delete(at: folder.url, name: "o")
        }
    }
}
