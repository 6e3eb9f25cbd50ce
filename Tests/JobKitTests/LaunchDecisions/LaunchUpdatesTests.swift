import JobKit
import JobKitTesting
import XCTest

/// Tests the streams of ``LaunchDecisions/updates(for:)``.
final class LaunchUpdatesTests: XCTestCase {
    func testLateSubscriberReadsTheLatestValueFirst() async {
        let decisions = LaunchDecisions(priority: ["upgrade"])
        decisions.set(.notNeeded, for: "upgrade")
        decisions.set(.needed, for: "upgrade")
        var reader = decisions.updates(for: "upgrade").makeAsyncIterator()
        let latest = await reader.next()
        XCTAssertEqual(latest, .needed)
        decisions.set(.unknown, for: "upgrade")
        let next = await reader.next()
        XCTAssertEqual(next, .unknown)
    }

    func testEveryValueSetReachesEverySubscriberInOrder() async {
        var decisions: LaunchDecisions? = LaunchDecisions(priority: ["upgrade"])
        let early = decisions?.updates(for: "upgrade")
        decisions?.set(.needed, for: "upgrade")
        decisions?.set(.needed, for: "city")
        let late = decisions?.updates(for: "upgrade")
        for need in [LaunchNeed.needed, .notNeeded, .unknown, .needed] {
            decisions?.set(need, for: "upgrade")
        }
        decisions = nil
        let rest: [LaunchNeed] = [.needed, .notNeeded, .unknown, .needed]
        let earlyNeeds = await needs(of: early)
        XCTAssertEqual(earlyNeeds, [.unknown, .needed] + rest)
        let lateNeeds = await needs(of: late)
        XCTAssertEqual(lateNeeds, [.needed] + rest)
    }

    func testReaderThatWaitsEndsWithTheDecisions() async {
        let log = EventLog()
        var decisions: LaunchDecisions? = LaunchDecisions(priority: ["upgrade"])
        let updates = decisions?.updates(for: "upgrade")
        let reader = Task {
            for await need in updates ?? .finished { log.record("\(need)") }
        }
        await log.waitForEvent("unknown")
        decisions = nil
        await reader.value
        XCTAssertEqual(log.events, ["unknown"])
    }

    func testCancelledReaderLeavesTheOthers() async {
        let log = EventLog()
        let decisions = LaunchDecisions(priority: ["upgrade"])
        let left = decisions.updates(for: "upgrade")
        let reader = Task {
            for await need in left { log.record("\(need)") }
        }
        await log.waitForEvent("unknown")
        reader.cancel()
        await reader.value
        var other = decisions.updates(for: "upgrade").makeAsyncIterator()
        decisions.set(.needed, for: "upgrade")
        let first = await other.next()
        let second = await other.next()
        XCTAssertEqual([first, second], [.unknown, .needed])
        XCTAssertEqual(log.events, ["unknown"])
    }

    func testClosureThatBlocksDelaysNoStream() async {
        let began = Gate()
        let release = Gate()
        let decisions = LaunchDecisions(priority: ["upgrade"])
        decisions.whenPresented("upgrade") {
            began.open()
            release.wait()
        }
        decisions.open()
        let ended = expectation(description: "the presenting thread has ended")
        Thread.detachNewThread {
            decisions.set(.needed, for: "upgrade")
            ended.fulfill()
        }
        await began.waitUntilOpen()
        var reader = decisions.updates(for: "upgrade").makeAsyncIterator()
        let latest = await reader.next()
        XCTAssertEqual(latest, .needed)
        release.open()
        await fulfillment(of: [ended], timeout: 300)
    }

    // Other tasks subscribe while one task sets an item. Each must read the end of the history.
    func testNoValueIsLostOrReorderedWhileItemsAreSet() async {
        let seed = UInt64.random(in: .min ... .max)
        print("testNoValueIsLostOrReorderedWhileItemsAreSet: seed \(seed)")
        for round in 0..<20 {
            for (history, streams) in await setWhileSubscribing(seed &+ UInt64(round)) {
                for stream in streams {
                    let needs = await needs(of: stream)
                    XCTAssertFalse(needs.isEmpty)
                    XCTAssertEqual(needs, history.suffix(needs.count), "seed \(seed)")
                }
            }
        }
    }

    /// Returns all values of two items, and streams that began at the same time.
    private func setWhileSubscribing(_ seed: UInt64) async -> [(
        [LaunchNeed], [AsyncStream<LaunchNeed>]
    )] {
        let decisions = LaunchDecisions(priority: [0], independent: [1])
        async let firstHistory = setAtRandom(0, of: decisions, seed: seed)
        async let secondHistory = setAtRandom(1, of: decisions, seed: ~seed)
        async let firstStreams = subscribeOften(to: 0, of: decisions)
        async let secondStreams = subscribeOften(to: 1, of: decisions)
        return await [(firstHistory, firstStreams), (secondHistory, secondStreams)]
    }

    private func needs(of stream: AsyncStream<LaunchNeed>?) async -> [LaunchNeed] {
        var needs: [LaunchNeed] = []
        for await need in stream ?? .finished { needs.append(need) }
        return needs
    }
}

private func setAtRandom(
    _ item: Int,
    of decisions: LaunchDecisions<Int>,
    seed: UInt64
) -> [LaunchNeed] {
    var generator = WalkGenerator(seed: seed)
    return (1...500)
        .reduce(into: [.unknown]) { history, _ in
            let need = [LaunchNeed.unknown, .needed, .notNeeded][Int(generator.next() % 3)]
            decisions.set(need, for: item)
            history.append(need)
        }
}

private func subscribeOften(to item: Int, of decisions: LaunchDecisions<Int>) -> [AsyncStream<
    LaunchNeed
>] {
    (1...100).map { _ in decisions.updates(for: item) }
}

extension AsyncStream where Element == LaunchNeed {
    fileprivate static var finished: AsyncStream { AsyncStream { $0.finish() } }
}
