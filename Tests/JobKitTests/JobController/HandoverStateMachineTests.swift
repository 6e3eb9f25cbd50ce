import Testing

@testable import JobKit

// J14, J15
@Suite struct HandoverStateMachineTests {
    @Test func taskOfAnUnlimitedJobGoesAtOnce() {
        var machine = HandoverStateMachine<String>()
        #expect(machine.taskSubmitted("a", group: 0) == true)
        #expect(machine.taskLeftQueue(group: 0) == [])
    }

    @Test func fullGroupHoldsUntilAPlaceIsFree() {
        var machine = HandoverStateMachine<String>()
        #expect(machine.widthChanged(to: 1, group: 0, inQueues: 0) == [])
        #expect(machine.taskSubmitted("a", group: 0) == true)
        #expect(machine.taskSubmitted("b", group: 0) == false)
        #expect(machine.taskSubmitted("c", group: 1) == true)
        #expect(machine.taskLeftQueue(group: 0) == ["b"])
        #expect(machine.taskLeftQueue(group: 0) == [])
    }

    @Test func suspensionHoldsAllGroupsAndResumesInOrder() {
        var machine = HandoverStateMachine<String>()
        #expect(machine.suspensionChanged(to: true) == [])
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            #expect(machine.taskSubmitted(name, group: index % 2) == false)
        }
        #expect(machine.suspensionChanged(to: false) == ["a", "b", "c", "d"])
    }

    @Test func growingWidthHandsOver() {
        var machine = HandoverStateMachine<String>()
        #expect(machine.widthChanged(to: 1, group: 0, inQueues: 1) == [])
        for name in ["a", "b", "c"] { #expect(machine.taskSubmitted(name, group: 0) == false) }
        #expect(machine.widthChanged(to: 3, group: 0, inQueues: 1) == ["a", "b"])
        #expect(machine.removeAllHeld() == ["c"])
        #expect(machine.removeAllHeld() == [])
    }

    @Test(arguments: 0..<200) func randomWalkKeepsWidthAndOrder(seed: Int) {
        var random = WalkGenerator(seed: UInt64(seed))
        var machine = HandoverStateMachine<Int>()
        var widths = [2, 3, Int.max]
        for group in 0..<3 {
            _ = machine.widthChanged(to: widths[group], group: group, inQueues: 0)
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
                handedOver(machine.taskLeftQueue(group: group))
            case 4:
                isSuspended.toggle()
                handedOver(machine.suspensionChanged(to: isSuspended))
            default:
                widths[group] = Int.random(in: 1...4, using: &random)
                handedOver(
                    machine.widthChanged(
                        to: widths[group],
                        group: group,
                        inQueues: inQueues[group]
                    )
                )
            }
        }
        #expect(machine.removeAllHeld() == held.flatMap { $0 }.sorted())
    }
}
