import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class FinishHookTests: XCTestCase {
    func testHookOfAnUnfinishedOperationFiresOnceAtTheFinish() {
        let (operation, tally) = (BlockOperation {}, Tally())
        let hook = FinishHook { tally.add() }
        hook.watch(operation)
        XCTAssertEqual(tally.count, 0)
        operation.start()
        XCTAssertEqual(tally.count, 1)
        _ = hook.isReady
        XCTAssertEqual(tally.count, 1)
        XCTAssertFalse(hook.detach())
    }

    func testHookOfAFinishedOperationFiresBeforeWatchReturns() {
        let (operation, tally) = (BlockOperation {}, Tally())
        operation.start()
        let hook = FinishHook { tally.add() }
        XCTAssertTrue(hook.isReady)
        XCTAssertEqual(tally.count, 0, "nothing before watch")
        hook.watch(operation)
        XCTAssertEqual(tally.count, 1)
    }

    func testDetachedHookNeverFiresAndMayBeReleased() {
        let (operation, tally) = (BlockOperation {}, Tally())
        var hook: FinishHook? = FinishHook { tally.add() }
        weak var released: FinishHook?
        released = hook
        hook?.watch(operation)
        XCTAssertEqual(hook?.detach(), true)
        XCTAssertEqual(hook?.detach(), false)
        hook = nil
        XCTAssertNil(released)
        operation.start()
        XCTAssertEqual(tally.count, 0)
    }

    func testHookDetachedBeforeItsWatchRegistersNothing() {
        let (operation, tally) = (BlockOperation {}, Tally())
        var hook: FinishHook? = FinishHook { tally.add() }
        weak var released: FinishHook?
        released = hook
        XCTAssertEqual(hook?.detach(), true)
        hook?.watch(operation)
        XCTAssertEqual(hook?.dependencies, [])
        hook = nil
        XCTAssertNil(released)
        operation.start()
        XCTAssertEqual(tally.count, 0)
    }

    /// Holds the hook between the beginning of the observation and its registration in Foundation.
    func testHookDetachedWhileItRegistersTakesTheRegistrationBack() async {
        let (operation, tally) = (BlockOperation {}, Tally())
        let (began, goOn) = (Gate(), Gate())
        let isReleased = Gate()
        await runOnThreads(1) { _ in
            let token = ReleaseToken { isReleased.open() }
            let hook = HeldHook(began: began, goOn: goOn) {
                withExtendedLifetime(token) { tally.add() }
            }
            Thread.detachNewThread {
                began.wait()
                XCTAssertTrue(hook.detach())
                goOn.open()
            }
            hook.watch(operation)
            XCTAssertEqual(hook.dependencies, [])
        }
        await wait(for: isReleased)
        operation.start()
        XCTAssertEqual(tally.count, 0)
    }

    func testWatchingHookIsRetainedUntilTheFinish() {
        let (operation, tally) = (BlockOperation {}, Tally())
        var hook: FinishHook? = FinishHook { tally.add() }
        weak var watching: FinishHook?
        watching = hook
        hook?.watch(operation)
        hook = nil
        XCTAssertNotNil(watching)
        operation.start()
        XCTAssertEqual(tally.count, 1)
        XCTAssertNil(watching)
    }

    // O6: the user's completion block and dependents are untouched.
    func testHookLeavesTheCompletionBlockAlone() async {
        let called = expectation(description: "completion block")
        let operation = BlockOperation {}
        operation.completionBlock = { called.fulfill() }
        let fired = expectation(description: "hook")
        let hook = FinishHook { fired.fulfill() }
        hook.watch(operation)
        OperationQueue().addOperation(operation)
        await fulfillment(of: [called, fired], timeout: 300)
        XCTAssertEqual(hook.dependencies, [operation])
    }

    /// A hook is released by its own body while the operation is finishing.
    func testHooksThatRaceTheFinishFireOnceAndMayBeDroppedAtOnce() async {
        await forEachSeed(1...1500) { random in
            let operation = BlockOperation {}
            let (fired, released) = (Tally(), Tally())
            let turns = Int.random(in: 0..<300, using: &random)
            await runOnThreads(2) { number in
                if number == 0 {
                    for _ in 0..<turns { _ = operation.isFinished }
                    operation.start()
                } else {
                    let box = HookBox()
                    let hook = FinishHook {
                        fired.add()
                        box.hook.withLock { $0 = nil }
                        released.add()
                    }
                    box.hook.withLock { $0 = hook }
                    hook.watch(operation)
                }
            }
            XCTAssertTrue(operation.isFinished)
            XCTAssertEqual([fired.count, released.count], [1, 1])
        }
    }

    func testDetachThatRacesTheFinishAgreesWithTheBody() async {
        await forEachSeed(1...1500) { _ in
            let (operation, fired, detached) = (BlockOperation {}, Tally(), Tally())
            let hook = FinishHook { fired.add() }
            hook.watch(operation)
            await runOnThreads(2) { number in
                if number == 0 { operation.start() } else if hook.detach() { detached.add() }
            }
            XCTAssertEqual(fired.count + detached.count, 1)
        }
    }
}

// Operation forces @unchecked. The gates are constants.
private final class HeldHook: FinishHook, @unchecked Sendable {
    private let began: Gate
    private let goOn: Gate

    init(began: Gate, goOn: Gate, _ body: @escaping @Sendable () -> Void) {
        self.began = began
        self.goOn = goOn
        super.init(body)
    }

    override func addDependency(_ operation: Operation) {
        began.open()
        goOn.wait()
        super.addDependency(operation)
    }
}

private final class HookBox: Sendable {
    let hook = Guarded<FinishHook?>(nil)
}
