import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

/// Hooks that are created, withdrawn and released on several threads.
///
/// If Foundation can still reach a released hook, the process crashes when the operation finishes.
final class FinishHookStressTests: XCTestCase {
    func testHooksDroppedWhileTheyRegisterLeaveNothingBehind() async {
        let rounds = 4_000
        let hooks = Guarded<[FinishHook]>([])
        let operations = (0..<rounds).map { _ in BlockOperation {} }
        let (fired, detached) = (Tally(), Tally())
        let turn = TurnBarrier(threads: 2)
        await runOnThreads(2) { number in
            for operation in operations {
                if number == 0 {
                    hooks.withLock { $0 = (0..<4).map { _ in FinishHook { fired.add() } } }
                }
                turn.wait()
                let mine = hooks.withLock { $0 }
                for hook in mine {
                    if number == 0 {
                        hook.watch(operation)
                    } else if hook.detach() {
                        detached.add()
                    }
                }
                turn.wait()
                if number == 0 { hooks.withLock { $0 = [] } }
            }
        }
        for operation in operations { operation.start() }
        XCTAssertEqual([fired.count, detached.count], [0, 4 * rounds])
    }

    // The operations are cancelled while the queue begins to observe their dependencies.
    func testPlainOperationsCancelledWhileTheyAreAddedLeaveNothingBehind() async {
        for _ in 0..<1_000 {
            let queue = TaskQueue(name: "cancelled at once")
            let dependencies = (0..<8).map { _ in BlockOperation {} }
            let operation = BlockOperation {}
            for dependency in dependencies { operation.addDependency(dependency) }
            await runOnThreads(2) { number in
                if number == 1 { return queue.addOperation(operation) }
                spin { queue.operationCount > 0 || operation.isFinished }
                queue.cancelAllOperations()
            }
            await drain(queue)
            for dependency in dependencies { dependency.start() }
        }
    }
}
