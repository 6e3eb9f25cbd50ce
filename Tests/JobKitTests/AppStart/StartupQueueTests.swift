import Testing

@testable import JobKit

@Suite(.timeLimit(.minutes(30))) struct StartupQueueTests {
    private struct Task: Identifiable, Sendable {
        let id: Int
    }

    // A1
    @Test func taskIsRemovedWhereverItStands() {
        var queue = StartupQueue<Task>()
        for id in [1, 2, 1, 3, 1] { queue.append(Task(id: id)) }
        #expect(queue.popFirst()?.id == 1)
        #expect(queue.remove(1).count == 2)
        #expect(queue.remove(1).isEmpty)
        queue.append(Task(id: 1))
        #expect([queue.popFirst(), queue.popFirst(), queue.popFirst()].map(\.?.id) == [2, 3, 1])
        #expect(queue.popFirst() == nil)
    }

    @Test func randomCallsDoWhatTheyDoToAnArray() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = WalkGenerator(seed: seed)
        var queue = StartupQueue<Task>()
        var model: [Int] = []
        for _ in 0..<20_000 {
            let id = Int.random(in: 0..<20, using: &generator)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<50:
                queue.append(Task(id: id))
                model.append(id)
            case 50..<75:
                let first = queue.popFirst()?.id
                if first != model.first { return #expect(first == model.first, "seed \(seed)") }
                model = Array(model.dropFirst())
            case 75..<99:
                let (count, expected) = (queue.remove(id).count, model.count { $0 == id })
                if count != expected { return #expect(count == expected, "seed \(seed)") }
                model.removeAll { $0 == id }
            default:
                #expect(queue.removeAll().count == model.count, "seed \(seed)")
                model = []
            }
        }
    }

    /// In minutes if each removal looked at the others.
    @Test func twentyThousandTasksAreRemovedOneByOne() {
        var queue = StartupQueue<Task>()
        for id in 0..<20_000 { queue.append(Task(id: id)) }
        #expect((0..<20_000).reversed().allSatisfy { queue.remove($0).count == 1 })
        #expect(queue.popFirst() == nil)
    }
}
