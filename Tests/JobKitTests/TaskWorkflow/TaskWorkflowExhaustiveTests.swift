import Testing

@testable import JobKit

/// Runs every plan of three additions in every order of completions and gates.
///
/// Plans of the simplest items have four additions.
@Suite struct TaskWorkflowExhaustiveTests {
    typealias Machine = TaskWorkflowStateMachine

    private struct Situation: Hashable {
        var finished: Set<Int> = []
        var openGates = 0
    }

    private func machine(_ oracle: WorkflowOracle) -> (Machine, [Int]) {
        var machine = Machine()
        var gates = 0
        func queue(_ isMain: Bool) -> LaunchTaskQueue { isMain ? .mainQueue : .concurrentQueue }
        for item in oracle.items {
            switch item {
            case .main, .concurrent:
                _ = machine.taskAdded(queue(item == .main))
            case .group(let members):
                _ = machine.groupAdded(members.map(queue))
            case .gate:
                machine.gateAdded("\(gates)")
                gates += 1
            }
        }
        let submitted = machine.started()
        return (machine, submitted)
    }

    // W1, W2, W6
    @Test func exactlyTheAllowedTasksStart() {
        let plain: [WorkflowOracle.Item] = [
            .main, .concurrent, .gate, .group([false]), .group([true, false]),
        ]
        let plans = WorkflowOracle.all(upTo: 3) + WorkflowOracle.all(upTo: 4, of: plain)
        for oracle in plans {
            let (first, submitted) = machine(oracle)
            var seen: Set<Situation> = []
            var walks = [(Situation(), first, submitted)]
            while let (situation, machine, started) = walks.popLast() {
                guard seen.insert(situation).inserted else { continue }
                let (finished, gates) = (situation.finished, situation.openGates)
                let expected = oracle.startable(finished: finished, openGates: gates)
                guard Set(started) == expected, started.count == expected.count else {
                    Issue.record("\(oracle), \(situation): \(started), not \(expected)")
                    return
                }
                for task in expected.subtracting(finished) {
                    var (after, next) = (situation, machine)
                    after.finished.insert(task)
                    let more = next.taskFinished(task, hasFailed: false)
                    walks.append((after, next, started + more))
                }
                if gates < oracle.gateCount {
                    var (after, next) = (situation, machine)
                    after.openGates += 1
                    let more = next.gateOpened("\(gates)")
                    walks.append((after, next, started + more))
                }
            }
            #expect(seen.contains { $0.finished.count == oracle.tasks.count }, "\(oracle)")
        }
    }
}
