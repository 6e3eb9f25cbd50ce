import Foundation
import XCTest

/// B1 to B6: random programs against an oracle.
///
/// `OUTBOX_SEED` is the first seed. Tests/Endurance runs 20,000 programs.
final class OutboxProgramsTests: XCTestCase {
    func testRandomProgramsAgreeWithTheOracle() async throws {
        let seed = ProcessInfo.processInfo.environment["OUTBOX_SEED"].flatMap(UInt64.init)
        let first = seed ?? .random(in: 1...1 << 40)
        let failures = await OutboxProgram.failures(ofSeeds: first..<first + 60)
        XCTAssertEqual(failures, [], "the first seed is \(first)")
    }
}
