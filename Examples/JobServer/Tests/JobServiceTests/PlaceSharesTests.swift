import JobKit
import Testing

@testable import JobService

@Suite struct PlaceSharesTests {
    private func shares(_ width: Int, _ limits: [Int?]) -> [Int] {
        var shares = PlaceShares<Int>(width: width)
        for (id, limit) in limits.enumerated() { shares.runStarted(id, limit: limit) }
        return shares.shares.sorted { $0.key < $1.key }.map(\.value)
    }

    @Test func placesAreSharedEvenlyAndTheOldestHasWhatIsLeft() {
        #expect(shares(4, [nil]) == [4])
        #expect(shares(4, [nil, nil]) == [2, 2])
        #expect(shares(5, [nil, nil]) == [3, 2])
        #expect(shares(7, [nil, nil, nil]) == [3, 2, 2])
    }

    @Test func eachRunHasAtLeastOne() {
        #expect(shares(2, [nil, nil, nil, nil]) == [1, 1, 1, 1])
        #expect(shares(1, [0]) == [1])
    }

    @Test func whatOneMayNotUseIsTheOthers() {
        #expect(shares(8, [1, nil]) == [1, 7])
        #expect(shares(8, [nil, 2, nil]) == [3, 2, 3])
    }

    @Test func anEndGivesItsPlacesToTheOthers() {
        var shares = PlaceShares<Int>(width: 4)
        shares.runStarted(1)
        shares.runStarted(2)
        shares.runEnded(1)
        #expect(shares.shares == [2: 4])
        shares.runEnded(2)
        #expect(shares.shares == [:])
    }

    @Test func queuesFollowTheShares() {
        let places = PlaceSharing(width: 4)
        let first = places.queue(of: 1, limit: nil)
        #expect(first.maxConcurrentOperationCount == 4)
        let second = places.queue(of: 2, limit: 1)
        #expect(first.maxConcurrentOperationCount == 3)
        #expect(second.maxConcurrentOperationCount == 1)
        places.runEnded(2)
        #expect(first.maxConcurrentOperationCount == 4)
    }
}
