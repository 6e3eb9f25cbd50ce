import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

/// Counts the calls of a workflow, and reads the workflow's state when it is released.
nonisolated private final class AskingDelegate: TaskWorkflowDelegate, Sendable {
    let told: Tally
    private let released: ReleaseToken

    init(_ told: Tally, _ released: ReleaseToken) {
        self.told = told
        self.released = released
    }

    func workflowDidFinish(_ workflow: TaskWorkflow) { told.add() }
}

extension Duel {
    static let ofLaunches = [
        Duel("workflows' delegates released against their finishes") { dice, referee in
            let workflows = (0..<20).map { _ in TaskWorkflow(name: "duel") }
            let (told, barrier) = (Tally(), TurnBarrier(threads: 2))
            let kept = Guarded<[AskingDelegate]>([])
            for workflow in workflows.reversed() {
                let delegate = AskingDelegate(told, ReleaseToken { _ = workflow.delegate })
                workflow.delegate = delegate
                kept.withLock { $0.append(delegate) }
            }
            let delays = workflows.map { _ in Delay(spins: dice.number(0...600)) }
            await dice.race(
                {
                    for workflow in workflows {
                        barrier.wait()
                        workflow.start()
                    }
                },
                {
                    for delay in delays {
                        barrier.wait()
                        delay.pass()
                        let released = kept.withLock { $0.popLast() }
                        withExtendedLifetime(released) {}
                    }
                }
            )
            for workflow in workflows { await workflow.waitForFinish() }
            referee.expect(told.count <= workflows.count, "W3: told \(told.count) times")
        }
    ]
}
