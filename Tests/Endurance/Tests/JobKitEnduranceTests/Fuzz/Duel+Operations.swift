import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

// Operation forces @unchecked. All mutable state is atomic.
/// Checks that `main()` and `didCancel()` are called only when permitted (O5).
///
/// If the system suspends a thread between a decision and the first line of `main()`, the decision
/// seems to be late. Therefore, the operation records the state when its clock is read, which
/// happens between the start and `main()`.
final class WitnessOperation: ConcurrentOperation, @unchecked Sendable {
    private let referee: Referee
    private let hasEntered = Atomic(false)
    private let wasTold = Atomic(false)
    private let isEnded = Atomic(false)
    private let wasEndedBefore = Atomic(false)
    private let finishesInMain: Bool
    private let whileTold: Delay

    init(_ referee: Referee, finishesInMain: Bool, beforeMain: Delay, whileTold: Delay) {
        self.referee = referee
        self.finishesInMain = finishesInMain
        self.whileTold = whileTold
        super.init()
        clock = AskedClock { [unowned self] in
            guard ThreadContext.current.pointee.frame.isOf(self) else { return }
            beforeMain.pass()
            referee.expect(
                !wasTold.load(ordering: .acquiring),
                "O5: told of a cancel before main()"
            )
            if isEnded.load(ordering: .acquiring) || isCancelled || isFinished {
                wasEndedBefore.store(true, ordering: .releasing)
            }
        }
    }

    /// Records that `finish` or `cancel()` has returned.
    func endReturned() { isEnded.store(true, ordering: .releasing) }

    override func main() {
        hasEntered.store(true, ordering: .releasing)
        referee.expect(!wasEndedBefore.load(ordering: .acquiring), "O5: main() after the end")
        if finishesInMain { finish() }
    }

    override func didCancel() {
        referee.expect(
            !wasTold.exchange(true, ordering: .acquiringAndReleasing),
            "O5: told of a cancel twice"
        )
        referee.expect(!isFinished, "O5: told of a cancel after the finish")
        whileTold.pass()
        referee.expect(!isFinished, "O5: finished while it was told of a cancel")
        finish()
    }

    /// Checks the records when all threads have returned.
    func lookBack() {
        referee.expect(
            hasEntered.load(ordering: .acquiring) || !wasTold.load(ordering: .acquiring),
            "O5: told of a cancel without main()"
        )
    }
}

extension Duel {
    static let ofOperations = [
        Duel("start against cancel, finish and overrun") { dice, referee in
            let operation = WitnessOperation(
                referee,
                finishesInMain: dice.one(in: 2),
                beforeMain: dice.delay(),
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
                    operation.endReturned()
                },
                { if second == 2 { operation.finish() } }
            )
            // Ends the operation if neither main() nor the cancellation did.
            operation.finish()
            await operation.waitForFinish()
            operation.lookBack()
            if case .cancelled = operation.outcome {
                referee.expect(operation.isCancelled, "O3: cancelled, and isCancelled is false")
            }
        },
        Duel("finishes against cancels") { dice, referee in
            let operations = (0..<dice.number(1...100)).map { HeldOperation("\($0)") }
            for operation in operations { operation.start() }
            let (turn, delay) = (TurnBarrier(threads: 2), Delay(spins: dice.number(0...60)))
            await dice.race(
                {
                    for operation in operations {
                        turn.wait()
                        operation.finish()
                    }
                },
                {
                    for operation in operations {
                        turn.wait()
                        delay.pass()
                        operation.cancel()
                        referee.expect(
                            operation.isCancelled || operation.isFinished,
                            "J8: neither cancelled nor finished when cancel() has returned"
                        )
                    }
                }
            )
        },
    ]
}
