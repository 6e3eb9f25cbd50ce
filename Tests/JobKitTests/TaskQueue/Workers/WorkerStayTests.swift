import Testing

@testable import JobKit

@Suite struct WorkerStayTests {
    private let cost = WorkerStay.costOfACall

    @Test func stayBesideOthersIsShortIfItTakesLessThanTheCall() {
        let stay = WorkerStay(index: 0, begin: 5, isBesideOthers: true)
        #expect(stay.wasShort(at: 5 + cost - 1))
        #expect(!stay.wasShort(at: 5 + cost))
    }

    @Test func whoComesAloneDoesNotStayTooShort() {
        #expect(!WorkerStay(index: 0, begin: 5, isBesideOthers: false).wasShort(at: 5))
    }
}
