import Testing

@testable import JobKit

@Suite struct ReadyListsTests {
    private func ticket(_ sequence: Int) -> TaskQueueTicket {
        TaskQueueTicket(sequence: sequence, slot: sequence)
    }

    @Test func entryAddedEarlierIsFirstAlthoughReadyLater() {
        var lists = ReadyLists()
        for sequence in [3, 5, 1, 4, 2] { lists.insert(ticket(sequence), priority: .normal) }
        let order = (0..<5).map { _ in lists.popFirst()?.ticket.sequence }
        #expect(order == [1, 2, 3, 4, 5])
        #expect(lists.popFirst() == nil)
    }

    @Test func prioritiesComeInTheirOrder() {
        var lists = ReadyLists()
        for (sequence, priority) in OperationPriority.allCases.reversed().enumerated() {
            lists.insert(ticket(sequence), priority: priority)
        }
        var priorities: [OperationPriority] = []
        while let (_, priority) = lists.popFirst() { priorities.append(priority) }
        #expect(priorities == OperationPriority.allCases)
    }

    @Test func firstIsPoppedNext() {
        var lists = ReadyLists()
        #expect(lists.first == nil)
        for (slot, priority) in [OperationPriority.low, .normal, .veryLow, .veryHigh, .high]
            .enumerated()
        {
            lists.insert(TaskQueueTicket(sequence: slot, slot: slot), priority: priority)
        }
        while let first = lists.first {
            let popped = lists.popFirst()
            #expect(popped?.ticket == first.ticket)
            #expect(popped?.priority == first.priority)
        }
        #expect(lists.count == 0)
    }

    @Test func voidTicketsAreRemovedWhenTheyCrowd() {
        var lists = ReadyLists()
        for sequence in 0..<100 { lists.insert(ticket(sequence), priority: .low) }
        #expect(lists.needsCompaction)
        lists.removeStale { ticket, priority in ticket.sequence >= 97 && priority == .low }
        #expect(!lists.needsCompaction)
        #expect(lists.count == 3)
        #expect(lists.popFirst()?.ticket.sequence == 97)
    }

    @Test(arguments: UInt64(0)..<20) func randomWalkPopsTheLeast(seed: UInt64) {
        var generator = WalkGenerator(seed: seed)
        var lists = ReadyLists()
        var oracle: [(rank: Int, sequence: Int)] = []
        for _ in 0..<600 {
            if Int.random(in: 0..<100, using: &generator) < 55 {
                let sequence = Int.random(in: 0..<1_000_000, using: &generator)
                let priority =
                    OperationPriority.allCases.randomElement(using: &generator) ?? .normal
                lists.insert(ticket(sequence), priority: priority)
                oracle.append((priority.rawValue, sequence))
            } else {
                let least = oracle.min { $0 < $1 }
                #expect(lists.popFirst()?.ticket.sequence == least?.sequence)
                if let least, let index = oracle.firstIndex(where: { $0 == least }) {
                    oracle.remove(at: index)
                }
            }
        }
    }

    @Test func rawPrioritiesAreThoseOfOperation() {
        let priorities = [-8, -7, -4, -1, 0, 1, 4, 7, 8, 100]
            .map(OperationPriority.init(queuePriority:))
        #expect(
            priorities == [
                .veryLow, .low, .low, .low, .normal, .high, .high, .high, .veryHigh, .veryHigh,
            ]
        )
    }
}
