import Foundation
import JobKitTesting
import XCTest

@testable import JobService

final class RunTimerTests: XCTestCase {
    func testATimerFiresOnce() async {
        let fired = Gate()
        let timer = RunTimer(after: .milliseconds(1)) { fired.open() }
        await fired.waitUntilOpen()
        timer.cancel()
    }

    /// The timers of the time limits were cancelled Swift tasks, which kept their memory for the
    /// whole limit: 100 bytes and more for each run.
    func testCancelledTimersKeepNoMemory() throws {
        func startAndCancel(_ count: Int) {
            for _ in 0..<count { RunTimer(after: .seconds(3_600)) {}.cancel() }
            // Dispatch releases cancelled timers on its own threads.
            for _ in 0..<100 { DispatchQueue.global().sync(flags: .barrier) {} }
        }
        startAndCancel(20_000)
        let before = try Self.residentBytes()
        startAndCancel(400_000)
        let growth = try Self.residentBytes() - before
        // The heap of Dispatch's threads may grow by some MiB. Kept timers would take 70 MiB.
        XCTAssertLessThan(growth, 32 << 20, "400,000 cancelled timers")
    }

    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = Int(text.split(separator: " ")[1]) ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
