import Foundation
import JobJournal
import JobKit
import XCTest

/// Random sessions against an oracle: parallel steps in scopes, failures, versions and cut files.
final class RandomSessionsTests: XCTestCase {
    private struct Refused: Error {}

    /// Random numbers from a seed.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    /// The version and value of a key, and the size of the file at that time.
    private struct Known: Equatable {
        let version: Int
        let value: Int
        let size: Int
    }

    func testRandomSessionsAgreeWithTheOracle() async throws {
        let start = ProcessInfo.processInfo.environment["JOURNAL_SEED"].flatMap(UInt64.init) ?? 1
        for seed in start..<start + 60 {
            let failures = testRun?.totalFailureCount ?? 0
            try await live(Dice(state: seed))
            guard testRun?.totalFailureCount == failures else {
                return print("\(name) failed with the seed \(seed)")
            }
        }
    }

    private func live(_ seeded: Dice) async throws {
        var dice = seeded
        let folder = TemporaryFolder(self)
        let safety: JobJournal.Safety = Bool.random(using: &dice) ? .processCrash : .powerLoss
        var history: [(String, Known)] = []
        for _ in 0..<5 {
            let journal = try folder.journal("job", safety)
            var known: [String: Known] = [:]
            for (name, entry) in history { known[name] = entry }
            XCTAssertEqual(journal.recordedCount, known.count)
            for scope in 0..<3 {
                let count = known.keys.filter { $0.hasPrefix("\(scope) ") }.count
                XCTAssertEqual(journal.scope("\(scope)").recordedCount, count)
            }
            // Opening may have rewritten the file, and then all earlier records are complete.
            let opened = try folder.bytes.count
            history = known.map { name, entry in
                (
                    name,
                    Known(version: entry.version, value: entry.value, size: min(entry.size, opened))
                )
            }
            let base = opened
            for _ in 0..<Int.random(in: 0...12, using: &dice) {
                let (scope, key) = (
                    Int.random(in: 0..<3, using: &dice), Int.random(in: 0..<4, using: &dice)
                )
                let version = Int.random(in: 1...8, using: &dice) == 1 ? 2 : 1
                let (value, fails) = (
                    Int.random(in: 0...999, using: &dice), Int.random(in: 0..<5, using: &dice) == 0
                )
                let step = journal.scope("\(scope)")
                    .step("\(key)", version: version) { _ -> Int in
                        if fails { throw Refused() }
                        return value
                    }
                step.start()
                await step.waitForFinish()
                let name = "\(scope) \(key)"
                if let entry = known[name], entry.version == version {
                    XCTAssertTrue(step.wasKnown)
                    XCTAssertEqual(try step.result?.get(), entry.value)
                } else if fails {
                    XCTAssertTrue(step.error is Refused)
                } else {
                    XCTAssertEqual(try step.result?.get(), value)
                    let entry = Known(version: version, value: value, size: try folder.bytes.count)
                    known[name] = entry
                    history.append((name, entry))
                }
            }
            await journal.close()
            // Simulates a crash: the file ends after any record that follows the opening.
            let bytes = try folder.bytes
            let ends = [base] + history.map(\.1.size).filter { $0 > base }
            let cut = ends.randomElement(using: &dice) ?? bytes.count
            guard Bool.random(using: &dice), cut <= bytes.count, cut > 0 else { continue }
            try Data(bytes[..<cut]).write(to: folder.file)
            history.removeAll { $0.1.size > cut }
        }
    }
}
