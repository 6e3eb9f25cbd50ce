import Testing

@testable import JobKit

// J14, J15
@Suite struct AdmissionStateMachineTests {
    /// The machine of a job that was started.
    private func started<Task>(_: Task.Type = String.self) -> AdmissionStateMachine<Task> {
        var machine = AdmissionStateMachine<Task>()
        #expect(machine.jobStarted().isEmpty)
        return machine
    }

    @Test func taskOfAnUnlimitedJobGoesAtOnce() {
        var machine = started()
        #expect(machine.admitsAll)
        #expect(machine.taskSubmitted("a", group: 0) == true)
        #expect(machine.taskLeft(group: 0) == [])
    }

    @Test func jobNotStartedHoldsAndAdmitsInOrderWhenItStarts() {
        var machine = AdmissionStateMachine<String>()
        #expect(!machine.admitsAll)
        for (index, name) in ["a", "b", "c"].enumerated() {
            #expect(machine.taskSubmitted(name, group: index % 2) == false)
        }
        #expect(machine.suspensionChanged(to: true) == [])
        #expect(machine.suspensionChanged(to: false) == [])
        #expect(machine.jobStarted() == ["a", "b", "c"])
        #expect(machine.admitsAll)
    }

    /// Copied at each, the list of those held would take ten minutes.
    @Test(.timeLimit(.minutes(30))) func manyTasksAreHeldWithoutCopyingThoseBefore() {
        let count = 300_000
        var (limited, early) = (started(Int.self), AdmissionStateMachine<Int>())
        limited.countingBegan(with: [:])
        #expect(limited.widthChanged(to: 1, group: 0) == [])
        #expect(limited.taskSubmitted(0, group: 0) == true)
        for task in 1...count {
            _ = limited.taskSubmitted(task, group: 0)
            _ = early.taskSubmitted(task, group: 0)
        }
        for task in 1...count where limited.taskLeft(group: 0) != [task] {
            Issue.record("Task \(task) does not come in its turn")
        }
        #expect(early.jobStarted().count == count)
    }

    @Test func jobSuspendedBeforeItsStartHoldsUntilItIsResumed() {
        var machine = AdmissionStateMachine<String>()
        #expect(machine.suspensionChanged(to: true) == [])
        #expect(machine.taskSubmitted("a", group: 0) == false)
        #expect(machine.jobStarted() == [])
        #expect(machine.suspensionChanged(to: false) == ["a"])
        #expect(machine.admitsAll)
    }

    @Test func widthSetBeforeTheStartCounts() {
        var machine = AdmissionStateMachine<String>()
        machine.countingBegan(with: [:])
        #expect(machine.widthChanged(to: 1, group: 0) == [])
        #expect(machine.taskSubmitted("a", group: 0) == false)
        #expect(machine.taskSubmitted("b", group: 0) == false)
        #expect(machine.jobStarted() == ["a"])
        #expect(machine.taskLeft(group: 0) == ["b"])
    }

    @Test func fullGroupHoldsUntilAPlaceIsFree() {
        var machine = started()
        machine.countingBegan(with: [:])
        #expect(machine.widthChanged(to: 1, group: 0) == [])
        #expect(machine.taskSubmitted("a", group: 0) == true)
        #expect(machine.taskSubmitted("b", group: 0) == false)
        #expect(machine.taskSubmitted("c", group: 1) == true)
        #expect(machine.taskLeft(group: 0) == ["b"])
        #expect(machine.taskLeft(group: 0) == [])
    }

    @Test func suspensionHoldsAllGroupsAndResumesInOrder() {
        var machine = started()
        #expect(machine.suspensionChanged(to: true) == [])
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            #expect(machine.taskSubmitted(name, group: index % 2) == false)
        }
        #expect(machine.suspensionChanged(to: false) == ["a", "b", "c", "d"])
    }

    @Test func suspensionThatHeldATaskLeavesNothingBehind() {
        var machine = started()
        _ = machine.suspensionChanged(to: true)
        #expect(machine.taskSubmitted("a", group: 0) == false)
        #expect(!machine.admitsAll)
        #expect(machine.suspensionChanged(to: false) == ["a"])
        #expect(machine.admitsAll)
        #expect(machine.taskLeft(group: 0) == [])
    }

    @Test func growingWidthAdmits() {
        var machine = started()
        machine.countingBegan(with: [0: 1, 1: 4])
        #expect(machine.widthChanged(to: 1, group: 0) == [])
        for name in ["a", "b", "c"] { #expect(machine.taskSubmitted(name, group: 0) == false) }
        #expect(machine.widthChanged(to: 3, group: 0) == ["a", "b"])
        #expect(machine.removeAllHeld() == ["c"])
        #expect(machine.removeAllHeld() == [])
    }

    @Test func groupWithoutAWidthIsCountedOnceAnotherHasOne() {
        var machine = started()
        machine.countingBegan(with: [1: 2])
        #expect(machine.widthChanged(to: 1, group: 0) == [])
        #expect(machine.taskSubmitted("a", group: 1) == true)
        #expect(machine.widthChanged(to: 3, group: 1) == [])
        #expect(machine.taskSubmitted("b", group: 1) == false)
        #expect(machine.taskLeft(group: 1) == ["b"])
    }

    @Test(arguments: 0..<200) func randomWalkKeepsWidthAndOrder(seed: Int) {
        var random = WalkGenerator(seed: UInt64(seed))
        var machine = started(Int.self)
        machine.countingBegan(with: [:])
        var widths = [2, 3, Int.max]
        for group in 0..<3 {
            _ = machine.widthChanged(to: widths[group], group: group)
        }
        var held = [[Int]](repeating: [], count: 3)
        var inQueues = [0, 0, 0]
        var (next, isSuspended) = (0, false)
        func handedOver(_ tasks: [Int], mayExceed: Bool = false) {
            #expect(!isSuspended || tasks.isEmpty)
            #expect(tasks == tasks.sorted())
            for task in tasks {
                let group = task % 3
                #expect(held[group].first == task)
                held[group].removeFirst()
                inQueues[group] += 1
                #expect(inQueues[group] <= widths[group])
            }
        }
        for _ in 0..<500 {
            let group = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                let task = next * 3 + group
                next += 1
                let mayGo = !isSuspended && held[group].isEmpty && inQueues[group] < widths[group]
                #expect(machine.taskSubmitted(task, group: group) == mayGo)
                if mayGo { inQueues[group] += 1 } else { held[group].append(task) }
            case 3:
                guard inQueues[group] > 0 else { break }
                inQueues[group] -= 1
                handedOver(machine.taskLeft(group: group))
            case 4:
                isSuspended.toggle()
                handedOver(machine.suspensionChanged(to: isSuspended))
            default:
                widths[group] = Int.random(in: 1...4, using: &random)
                handedOver(
                    machine.widthChanged(to: widths[group], group: group)
                )
            }
        }
        #expect(machine.removeAllHeld() == held.flatMap { $0 }.sorted())
    }
}
