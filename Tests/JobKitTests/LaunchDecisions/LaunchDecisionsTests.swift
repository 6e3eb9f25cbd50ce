import JobKit
import JobKitTesting
import XCTest

final class LaunchDecisionsTests: XCTestCase {
    private let log = EventLog()

    /// Returns decisions on every ``SeedItem`` that log presentations and withdrawals.
    private func seedDecisions(waitsForUnknown: Bool = false) -> LaunchDecisions<SeedItem> {
        let decisions = LaunchDecisions(
            priority: SeedItem.prioritized,
            independent: SeedItem.independent,
            waitsForUnknown: waitsForUnknown
        )
        for item in SeedItem.allCases {
            decisions.whenPresented(item) { [log] in log.record("+\(item)") }
            decisions.whenWithdrawn(item) { [log] in log.record("-\(item)") }
        }
        return decisions
    }

    // D1
    func testSeedsLaunchShowsOneItemAtATimeByPriority() {
        let decisions = seedDecisions()
        decisions.set(.needed, for: .notification)
        decisions.set(.needed, for: .skin)
        XCTAssertEqual(log.events, [])
        decisions.open()
        XCTAssertEqual(log.events, ["+notification", "+skin"])
        decisions.set(.needed, for: .switchCity)
        decisions.set(.needed, for: .advertisement)
        decisions.set(.needed, for: .redDot)
        decisions.complete(.switchCity)
        decisions.set(.notNeeded, for: .advertisement)
        decisions.set(.needed, for: .upgrade)
        XCTAssertEqual(
            log.events.dropFirst(2),
            [
                "-notification", "+switchCity", "+redDot", "+advertisement", "-advertisement",
                "+notification", "-notification", "+upgrade",
            ]
        )
    }

    // D1
    func testNoItemBelowAnUnknownOneIsPresentedIfSoConfigured() {
        let decisions = seedDecisions(waitsForUnknown: true)
        decisions.open()
        decisions.set(.needed, for: .advertisement)
        decisions.set(.notNeeded, for: .upgrade)
        XCTAssertEqual(decisions.state(of: .advertisement), .suspended)
        decisions.set(.notNeeded, for: .switchCity)
        XCTAssertEqual(decisions.state(of: .advertisement), .executing)
        XCTAssertEqual(log.events, ["+advertisement"])
    }

    // D2
    func testStateShowsTheEffectWhenTheMethodReturns() {
        let decisions = seedDecisions()
        XCTAssertNil(decisions.state(of: .upgrade))
        decisions.set(.needed, for: .upgrade)
        XCTAssertEqual(decisions.state(of: .upgrade), .suspended)
        decisions.open()
        XCTAssertEqual(decisions.state(of: .upgrade), .executing)
        decisions.complete(.upgrade)
        XCTAssertEqual(decisions.state(of: .upgrade), .completed)
        decisions.set(.notNeeded, for: .upgrade)
        XCTAssertNil(decisions.state(of: .upgrade))
        XCTAssertEqual(decisions.need(for: .upgrade), .notNeeded)
        XCTAssertEqual(decisions.need(for: .skin), .unknown)
    }

    // D2: the closures of a change that is made by a closure follow it, but the state changes at
    // once.
    func testChangeMadeByAClosureTakesEffectAtOnceAndRunsLater() {
        let decisions = seedDecisions()
        decisions.whenPresented(.switchCity) { [log] in
            decisions.set(.needed, for: .upgrade)
            XCTAssertEqual(decisions.state(of: .upgrade), .executing)
            XCTAssertEqual(decisions.state(of: .switchCity), .suspended)
            log.record("end of switchCity")
        }
        decisions.open()
        decisions.set(.needed, for: .switchCity)
        XCTAssertEqual(
            log.events,
            ["+switchCity", "end of switchCity", "-switchCity", "+upgrade"]
        )
    }

    // D2
    func testClosureMayCallEveryMethod() async {
        let decisions = seedDecisions()
        for item in [SeedItem.upgrade, .skin] {
            decisions.whenPresented(item) { [log] in
                decisions.open()
                decisions.set(.needed, for: .reminder)
                decisions.prioritize(.notification, before: .switchCity)
                decisions.whenPresented(item) { log.record("late \(item)") }
                decisions.whenWithdrawn(item) {}
                XCTAssertEqual(decisions.need(for: item), .needed)
                XCTAssertEqual(decisions.state(of: item), .executing)
                let updates = decisions.updates(for: item)
                Task { for await need in updates { log.record("\(item) \(need)") } }
                decisions.complete(item)
            }
            decisions.set(.needed, for: item)
        }
        decisions.open()
        XCTAssertEqual(
            log.events.filter { !$0.hasSuffix("needed") },
            ["+upgrade", "+skin", "+reminder", "late upgrade", "late skin"]
        )
        await log.waitForEvent("skin needed")
    }

    // D2: closures run one at a time, and a thread that makes a change does not wait for those of
    // another thread.
    func testChangeBesideARunningClosureReturnsAtOnce() async {
        let decisions = seedDecisions()
        let began = Gate()
        let release = Gate()
        decisions.whenPresented(.switchCity) { [log] in
            began.open()
            release.wait()
            log.record("end of switchCity")
        }
        decisions.open()
        let ended = expectation(description: "the presenting thread has ended")
        Thread.detachNewThread {
            decisions.set(.needed, for: .switchCity)
            ended.fulfill()
        }
        await began.waitUntilOpen()
        decisions.set(.needed, for: .skin)
        decisions.set(.needed, for: .upgrade)
        XCTAssertEqual(decisions.state(of: .switchCity), .suspended)
        XCTAssertEqual(decisions.state(of: .upgrade), .executing)
        XCTAssertEqual(log.events, ["+switchCity"])
        release.open()
        await fulfillment(of: [ended], timeout: 300)
        XCTAssertEqual(
            log.events,
            ["+switchCity", "end of switchCity", "+skin", "-switchCity", "+upgrade"]
        )
    }

    func testClosureAddedToAnExecutingItemRunsAtOnce() {
        let decisions = seedDecisions()
        decisions.open()
        decisions.set(.needed, for: .upgrade)
        decisions.whenPresented(.upgrade) { [log] in log.record("late") }
        XCTAssertEqual(log.events, ["+upgrade", "late"])
        decisions.whenPresented(.switchCity) { [log] in log.record("never") }
        decisions.complete(.upgrade)
        XCTAssertEqual(log.events, ["+upgrade", "late"])
    }

    // D2
    func testPrioritizeAboveTheExecutingItemWithdrawsIt() {
        let decisions = seedDecisions()
        decisions.open()
        decisions.set(.needed, for: .switchCity)
        decisions.set(.needed, for: .notification)
        decisions.prioritize(.notification, before: .switchCity)
        XCTAssertEqual(log.events, ["+switchCity", "-switchCity", "+notification"])
        decisions.complete(.notification)
        XCTAssertEqual(decisions.state(of: .switchCity), .executing)
    }

    // D2
    func testPrioritizeOfAnUnknownItemAboveTheExecutingOneWithdrawsIt() {
        let decisions = seedDecisions(waitsForUnknown: true)
        decisions.open()
        decisions.set(.needed, for: .upgrade)
        decisions.prioritize(.notification, before: .upgrade)
        XCTAssertEqual(decisions.state(of: .upgrade), .suspended)
        XCTAssertEqual(log.events, ["+upgrade", "-upgrade"])
        decisions.set(.notNeeded, for: .notification)
        XCTAssertEqual(decisions.state(of: .upgrade), .executing)
        XCTAssertEqual(log.events, ["+upgrade", "-upgrade", "+upgrade"])
    }

    func testClosuresGoWithTheDecisions() {
        final class View: Sendable {}
        weak var view: View?
        do {
            let decisions = seedDecisions()
            let retained = View()
            view = retained
            decisions.whenPresented(.upgrade) { _ = retained }
            decisions.whenWithdrawn(.upgrade) { _ = retained }
            decisions.open()
            decisions.set(.needed, for: .upgrade)
        }
        XCTAssertNil(view)
    }
}
