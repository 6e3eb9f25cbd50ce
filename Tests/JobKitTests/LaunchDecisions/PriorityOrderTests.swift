import Testing

@testable import JobKit

/// The order of prioritized items, beside an array that says what it should be.
@Suite(.timeLimit(.minutes(30))) struct PriorityOrderTests {
    @Test func emptyOrderHasNoFirst() {
        #expect(PriorityOrder(count: 0, marks: .unknown).first(with: .unknown) == nil)
    }

    @Test func numbersStandInTheirOrderAtFirst() {
        var order = PriorityOrder(count: 5, marks: [.unknown, .presentable])
        #expect(numbers(of: &order) == [0, 1, 2, 3, 4])
    }

    @Test func firstHasTheMarkAskedFor() {
        var order = PriorityOrder(count: 4, marks: .unknown)
        order.setMarks(.presentable, of: 1)
        order.setMarks([], of: 0)
        #expect(order.first(with: .unknown) == 2)
        #expect(order.first(with: .presentable) == 1)
        order.setMarks([], of: 1)
        #expect(order.first(with: .presentable) == nil)
    }

    @Test func numberMovedBeforeItselfStays() {
        var order = PriorityOrder(count: 3, marks: .unknown)
        order.move(1, before: 1)
        #expect(numbers(of: &order) == [0, 1, 2])
    }

    @Test(arguments: [1, 2, 3, 10, 100])
    func randomMovesDoWhatTheyDoToAnArray(count: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var generator = WalkGenerator(seed: seed)
        var order = PriorityOrder(count: count, marks: .unknown)
        var model = Array(0..<count)
        var marked = Set(model)
        for _ in 0..<2_000 {
            let number = Int.random(in: 0..<count, using: &generator)
            let other = Int.random(in: 0..<count, using: &generator)
            if Bool.random(using: &generator) {
                order.move(number, before: other)
                if number != other {
                    model.removeAll { $0 == number }
                    model.insert(number, at: model.firstIndex(of: other) ?? 0)
                }
            } else {
                let isMarked = Bool.random(using: &generator)
                order.setMarks(isMarked ? .unknown : [], of: number)
                if isMarked { marked.insert(number) } else { marked.remove(number) }
            }
            let isBefore = (model.firstIndex(of: number) ?? 0) < (model.firstIndex(of: other) ?? 0)
            let isFitting =
                order.isBefore(number, other) == isBefore
                && order.first(with: .unknown) == model.first(where: marked.contains)
            if !isFitting { return #expect(isFitting, "seed \(seed)") }
        }
        for number in 0..<count { order.setMarks(.unknown, of: number) }
        #expect(numbers(of: &order) == model, "seed \(seed)")
    }

    /// In minutes if a call took linear time.
    @Test func twentyThousandItemsAreSetMovedAndCompleted() {
        let count = 20_000
        var machine = LaunchDecisionsStateMachine<Int, Int, String>(
            priority: Array(0..<count),
            independent: Set(count..<2 * count),
            waitsForUnknown: true
        )
        for item in 0..<2 * count { _ = machine.presentationAdded(item, for: item) }
        for item in (0..<2 * count).reversed() { _ = machine.needSet(.needed, for: item) }
        for item in 1..<count { _ = machine.itemPrioritized(item, before: item - 1) }
        let opened = machine.opened().reactions
        #expect(opened == [count - 1] + (count..<2 * count).reversed())
        var presented: [Int] = []
        for item in (0..<count).reversed() { presented += machine.itemCompleted(item).reactions }
        #expect(presented == (0..<count - 1).reversed())
    }

    /// The numbers in their order; takes their marks away.
    private func numbers(of order: inout PriorityOrder) -> [Int] {
        var numbers: [Int] = []
        while let first = order.first(with: .unknown) {
            numbers.append(first)
            order.setMarks([], of: first)
        }
        return numbers
    }
}
