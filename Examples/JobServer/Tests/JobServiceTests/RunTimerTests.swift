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
            // The queue releases cancelled timers.
            for _ in 0..<100 { RunTimer.queue.sync {} }
        }
        startAndCancel(20_000)
        let before = try Self.residentBytes()
        startAndCancel(400_000)
        let growth = try Self.residentBytes() - before
        // The heap of Dispatch's threads may grow by some MiB. Kept timers would take 70 MiB.
        XCTAssertLessThan(growth, 32 << 20, "400,000 cancelled timers")
    }

    /// The limit of a job's time ends a job that blocks these threads.
    func testTimerFiresWhileAllThreadsOfTheGlobalQueuesAreBlocked() {
        let (release, group) = (Gate(), DispatchGroup())
        // Dispatch has fewer threads, so that nothing that is added later runs.
        for _ in 0..<1_000 { DispatchQueue.global().async(group: group) { release.wait() } }
        let fired = expectation(description: "fired")
        let timer = RunTimer(after: .milliseconds(1)) { fired.fulfill() }
        wait(for: [fired], timeout: 60)
        timer.cancel()
        release.open()
        group.wait()
    }

    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = Int(text.split(separator: " ")[1]) ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
