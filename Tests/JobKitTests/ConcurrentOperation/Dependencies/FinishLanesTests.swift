import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// Tests hooks that a queue starts, as on Apple platforms, with Linux's Foundation.
final class FinishLanesTests: XCTestCase {
    private func hook(_ body: @escaping @Sendable () -> Void) -> FinishHook {
        FinishHook(trigger: .start, body)
    }

    func testHookOfAnUnfinishedOperationFiresOnceAfterTheFinish() async {
        let (operation, tally, fired) = (BlockOperation {}, Tally(), Gate())
        let hook = hook {
            tally.add()
            fired.open()
        }
        hook.watch(operation)
        XCTAssertEqual(tally.count, 0)
        operation.start()
        await wait(for: fired)
        XCTAssertFalse(hook.detach())
        await eventually { hook.isFinished }
        XCTAssertEqual(tally.count, 1)
    }

    func testHookOfAFinishedOperationFiresBeforeWatchReturns() async {
        let (operation, tally) = (BlockOperation {}, Tally())
        operation.start()
        let hook = hook { tally.add() }
        hook.watch(operation)
        XCTAssertEqual(tally.count, 1)
        await eventually { hook.isFinished }
        XCTAssertEqual(tally.count, 1)
    }

    func testDetachedHookNeverFiresAndIsReleased() async {
        let (operation, tally, released) = (BlockOperation {}, Tally(), Gate())
        let token = ReleaseToken { released.open() }
        var hook: FinishHook? = hook { withExtendedLifetime(token) { tally.add() } }
        hook?.watch(operation)
        XCTAssertEqual(hook?.detach(), true)
        XCTAssertEqual(hook?.detach(), false)
        let detached = hook
        await eventually { detached?.isFinished == true }
        hook = nil
        operation.start()
        XCTAssertEqual(tally.count, 0)
    }

    func testHookThatFiredLetsItsBodyGo() async {
        let (operation, released) = (BlockOperation {}, Gate())
        makeHook(of: operation, telling: released)
        operation.start()
        await wait(for: released)
    }

    private func makeHook(of operation: Operation, telling released: Gate) {
        let token = ReleaseToken { released.open() }
        hook { withExtendedLifetime(token) {} }.watch(operation)
    }

    /// The hook either fires or is detached, in every race of completion and detachment.
    func testDetachThatRacesTheFinishAgreesWithTheBody() async {
        await forEachSeed(1...500) { _ in
            let (operation, fired, detached) = (BlockOperation {}, Tally(), Tally())
            let hook = self.hook { fired.add() }
            hook.watch(operation)
            await runOnThreads(2) { number in
                if number == 0 { operation.start() } else if hook.detach() { detached.add() }
            }
            await self.eventually { hook.isFinished }
            XCTAssertEqual(fired.count + detached.count, 1)
        }
    }

    /// If one thread served all hooks, the first body that waits would block the others.
    func testBodyThatBlocksHoldsUpNoOtherLane() async {
        let (blocked, goOn) = (Gate(), Gate())
        let first = BlockOperation {}
        hook {
            blocked.open()
            goOn.wait()
        }
        .watch(first)
        let others = (1..<FinishLanes.count).map { _ in BlockOperation {} }
        let fired = Tally()
        let isDone = Gate()
        let count = others.count
        for other in others {
            hook {
                fired.add()
                if fired.count == count { isDone.open() }
            }
            .watch(other)
        }
        first.start()
        await wait(for: blocked)
        for other in others { other.start() }
        await wait(for: isDone)
        goOn.open()
    }

    /// Foundation's queue searches its unready operations, so the lanes share the work.
    func testLanesTakeTurns() {
        let lanes = (0..<2 * FinishLanes.count).map { _ in ObjectIdentifier(FinishLanes.next) }
        XCTAssertEqual(Set(lanes).count, FinishLanes.count)
    }
}
