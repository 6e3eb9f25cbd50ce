import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class GuardedTests: XCTestCase {
    func testOneThreadAtATimeChangesTheValue() async {
        let guarded = Guarded((inside: 0, most: 0, count: 0))
        await runOnThreads(4) { _ in
            for _ in 0..<20_000 {
                guarded.withLock { state in
                    state.inside += 1
                    state.most = max(state.most, state.inside)
                    state.count += 1
                    state.inside -= 1
                }
            }
        }
        let (most, count) = guarded.withLock { ($0.most, $0.count) }
        XCTAssertEqual(most, 1)
        XCTAssertEqual(count, 80_000)
    }

    func testErrorLetsTheLockGo() {
        let guarded = Guarded(1)
        XCTAssertThrowsError(
            try guarded.withLock { value -> Int in
                value = 2
                throw SampleError()
            }
        )
        XCTAssertEqual(guarded.withLock { $0 }, 2)
    }

    // Every stage of waiting is used, because the lock is held longer than a thread spins and
    // yields.
    func testThreadThatFindsItHeldGetsItWhenItIsLetGo() async {
        let guarded = Guarded<[String]>([])
        let (held, goOn) = (Gate(), Gate())
        Thread.detachNewThread {
            guarded.withLock { events in
                held.open()
                goOn.wait()
                events.append("first")
            }
        }
        await wait(for: held)
        let asking = Gate()
        let got = expectation(description: "the second thread got it")
        Thread.detachNewThread {
            asking.open()
            guarded.withLock { $0.append("second") }
            got.fulfill()
        }
        await wait(for: asking)
        for _ in 0..<200 { await Task.yield() }
        goOn.open()
        await fulfillment(of: [got], timeout: 300)
        XCTAssertEqual(guarded.withLock { $0 }, ["first", "second"])
    }

    func testBackoffLetsTheThreadThatIsWaitedForRun() async {
        let flag = Guarded(false)
        await runOnThreads(2) { number in
            if number == 0 { return flag.withLock { $0 = true } }
            var backoff = Backoff()
            while !flag.withLock({ $0 }) { backoff.wait() }
        }
        var backoff = Backoff()
        for _ in 0..<2_060 { backoff.wait() }
    }
}
