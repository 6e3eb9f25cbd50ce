import Testing

@testable import JobKit

@Suite(.timeLimit(.minutes(30))) struct LaunchSubscribersTests {
    @Test func subscribersStandInTheOrderAdded() {
        var subscribers = LaunchSubscribers<String>()
        let ids = ["a", "b", "c", "d"].map { subscribers.add($0) }
        #expect(subscribers.remove(ids[1]) == "b")
        #expect(subscribers.all == ["a", "c", "d"])
        #expect(subscribers.remove(ids[0]) == "a")
        #expect(subscribers.remove(ids[3]) == "d")
        #expect(subscribers.add("e") == 4)
        #expect(subscribers.all == ["c", "e"])
    }

    @Test func subscriberLeavesOnce() {
        var subscribers = LaunchSubscribers<String>()
        let id = subscribers.add("a")
        #expect(subscribers.remove(id) == "a")
        #expect(subscribers.remove(id) == nil)
        #expect(subscribers.remove(7) == nil)
        #expect(subscribers.all == [])
    }

    /// In minutes if leaving took linear time.
    @Test func twentyThousandSubscribersLeaveTheFirstFirst() {
        var subscribers = LaunchSubscribers<String>()
        let ids = (0..<20_000).map { _ in subscribers.add("a") }
        #expect(ids.allSatisfy { subscribers.remove($0) == "a" })
        #expect(subscribers.all == [])
    }
}
