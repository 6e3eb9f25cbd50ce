import Foundation
import JobKit
import JobKitTesting
import Synchronization

// Operation forces @unchecked. What changes is atomic.
/// Notes whether `main()` and `didCancel()` are called when they may be (O5).
final class WitnessOperation: ConcurrentOperation, @unchecked Sendable {
    private let referee: Referee
    private let entered = Atomic(false)
    private let isBeingTold = Atomic(false)
    private let wasTold = Atomic(false)
    private let finishesInMain: Bool
    private let whileTold: Delay

    init(_ referee: Referee, finishesInMain: Bool, whileTold: Delay) {
        self.referee = referee
        self.finishesInMain = finishesInMain
        self.whileTold = whileTold
    }

    override func main() {
        entered.store(true, ordering: .sequentiallyConsistent)
        // O5: main() is not entered after the finish.
        referee.usuallyExpect(!isFinished)
        if finishesInMain { finish() }
    }

    override func didCancel() {
        // O5: nobody is told of a cancel before main().
        referee.usuallyExpect(entered.load(ordering: .acquiring))
        referee.expect(
            !wasTold.exchange(true, ordering: .acquiringAndReleasing),
            "O5: told of a cancel twice"
        )
        referee.expect(!isFinished, "O5: told of a cancel after the finish")
        whileTold.pass()
        referee.expect(!isFinished, "O5: finished while it was told of a cancel")
        finish()
    }
}

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

extension Duel {
    static let ofOperations = [
        Duel("start against cancel, finish and overrun") { dice, referee in
            let operation = WitnessOperation(
                referee,
                finishesInMain: dice.one(in: 2),
                whileTold: dice.delay()
            )
            switch dice.number(0...4) {
            case 0: operation.maximumRuntime = .seconds(3_600)
            case 1: operation.maximumRuntime = .microseconds(dice.number(0...50))
            case 2: operation.maximumRuntime = .seconds(Int64.max)
            default: break
            }
            let second = dice.number(0...3)
            await dice.race(
                { operation.start() },
                {
                    switch second {
                    case 0: operation.finish()
                    case 3: operation.finish(with: CancellationError())
                    default: operation.cancel()
                    }
                },
                { if second == 2 { operation.finish() } }
            )
            // What neither main() nor a cancel has ended.
            operation.finish()
            await operation.waitForFinish()
            if case .cancelled = operation.outcome {
                referee.expect(operation.isCancelled, "O3: cancelled, and isCancelled is false")
            }
        },
        Duel("an edge added and removed") { dice, referee in
            let waiting = HeldOperation("waiting")
            let dependency: Operation =
                dice.one(in: 2) ? BlockOperation {} : InstantOperation("dependency")
            let rounds = dice.number(1...100)
            await dice.race(
                { for _ in 0..<rounds { waiting.addDependency(dependency) } },
                { for _ in 0..<rounds { waiting.removeDependency(dependency) } }
            )
            let stands = waiting.dependencies.contains { $0 === dependency }
            referee.expect(
                waiting.isReady != stands,
                "O10: \(stands ? "ready although it depends" : "unready without a dependency")"
            )
            dependency.start()
            referee.expect(waiting.isReady, "O10: unready although its dependency has finished")
        },
        Duel("a dependent freed while its dependency finishes") { dice, _ in
            let dependency: Operation =
                dice.one(in: 2) ? BlockOperation {} : InstantOperation("dependency")
            let held = Holder(HeldOperation("waiting"))
            held.operation?.addDependency(dependency)
            await dice.race({ held.release() }, { dependency.start() })
        },
    ]
}
