import Testing

@testable import JobKit

@Suite struct LendersTests {
    private let tickets = (0..<100).map { TaskQueueTicket(sequence: $0, slot: 2 * $0) }

    @Test(arguments: [0, 1, 2, 8, 9, 10, 100])
    func eachIsThereOnceInTheOrderFound(_ count: Int) {
        var lenders = TaskQueueLoanState.Lenders()
        for ticket in tickets.prefix(count) { #expect(lenders.insert(ticket) == true) }
        for ticket in tickets.prefix(count) { #expect(lenders.insert(ticket) == false) }
        #expect(Array(lenders) == Array(tickets.prefix(count)))
    }

    @Test func anotherEntryInTheSameSlotIsNews() {
        var lenders = TaskQueueLoanState.Lenders()
        for ticket in tickets { #expect(lenders.insert(ticket) == true) }
        let later = tickets.map { TaskQueueTicket(sequence: $0.sequence + 100, slot: $0.slot) }
        for ticket in later { #expect(lenders.insert(ticket) == true) }
        #expect(lenders.count == 200)
    }
}
