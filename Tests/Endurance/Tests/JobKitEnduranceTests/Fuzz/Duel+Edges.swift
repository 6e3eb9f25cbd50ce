import Foundation
import JobKitTesting

@testable import JobKit

/// The only owner of an operation.
private final class Holder: Sendable {
    private let held: Guarded<Operation?>

    init(_ operation: Operation) { held = Guarded(operation) }

    var operation: Operation? { held.withLock { $0 } }

    func release() {
        let released = held.withLock { $0.take() }
        withExtendedLifetime(released) {}
    }
}

// Operation forces @unchecked. The properties are constants.
/// A plain operation with a slow `isFinished`.
private final class SlowOperation: Operation, @unchecked Sendable {
    private let delay: Delay
    private let token: ReleaseToken

    init(_ delay: Delay, _ token: ReleaseToken) {
        self.delay = delay
        self.token = token
    }

    override var isFinished: Bool {
        delay.pass()
        return super.isFinished
    }
}

extension Duel {
    /// Returns the only owner of an operation of some class, to be used as a dependency.
    private static func makeDependency(_ dice: inout Dice, _ kept: Kept = Kept()) -> Holder {
        let token = kept.make()
        switch dice.number(0...2) {
        case 0: return Holder(BlockOperation { _ = token })
        case 1:
            let delay = Delay(spins: dice.number(0...100), yields: dice.number(0...2))
            return Holder(SlowOperation(delay, token))
        default: return Holder(ScriptedOperation { [token] in _ = (token, $0.finish()) })
        }
    }

    static let ofEdges = [
        Duel("an edge added and removed") { dice, referee in
            let waiting = HeldOperation("waiting")
            let dependency = makeDependency(&dice)
            let rounds = dice.number(1...100)
            await dice.race(
                {
                    guard let other = dependency.operation else { return }
                    for _ in 0..<rounds { waiting.addDependency(other) }
                },
                {
                    guard let other = dependency.operation else { return }
                    for _ in 0..<rounds { waiting.removeDependency(other) }
                }
            )
            let stands = !waiting.dependencies.isEmpty
            referee.expect(
                waiting.isReady != stands,
                "O10: \(stands ? "ready although it depends" : "unready without a dependency")"
            )
            dependency.operation?.start()
            referee.expect(waiting.isReady, "O10: unready although its dependency has finished")
        },
        Duel("edges removed as soon as they are seen") { dice, referee in
            let kept = Kept()
            let dependency = makeDependency(&dice, kept)
            let operations = (0..<dice.number(1...100)).map { HeldOperation("\($0)") }
            let turn = TurnBarrier(threads: 2)
            let delays = operations.map { _ in Delay(spins: dice.number(0...30)) }
            await dice.race(
                {
                    guard let other = dependency.operation else { return }
                    for operation in operations {
                        turn.wait()
                        operation.addDependency(other)
                    }
                },
                {
                    guard let other = dependency.operation else { return }
                    for (operation, delay) in zip(operations, delays) {
                        turn.wait()
                        spin { !operation.dependencies.isEmpty }
                        delay.pass()
                        operation.removeDependency(other)
                    }
                }
            )
            referee.expect(operations.allSatisfy(\.isReady), "O10: unready without a dependency")
            if dice.one(in: 3) {
                // This would access any registered operation that was freed.
                dependency.operation?.start()
            } else {
                dependency.release()
                referee.expect(kept.isReleased, "O10: an edge that is gone keeps its dependency")
            }
        },
        Duel("a dependent freed while its dependency finishes") { dice, _ in
            let dependency = makeDependency(&dice)
            let held = Holder(HeldOperation("waiting"))
            if let other = dependency.operation { held.operation?.addDependency(other) }
            await dice.race({ held.release() }, { dependency.operation?.start() })
        },
    ]
}
