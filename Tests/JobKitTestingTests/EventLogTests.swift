import JobKitTesting
import XCTest

final class EventLogTests: XCTestCase {
    func testEventsKeepTheirOrder() {
        let log = EventLog()
        XCTAssertEqual(log.events, [])
        for index in 0..<100 { log.record("\(index)") }
        XCTAssertEqual(log.events, (0..<100).map(String.init))
    }

    func testNothingIsLostFromManyTasks() async {
        let log = EventLog()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<1_000 { group.addTask { log.record("\(index)") } }
        }
        XCTAssertEqual(Set(log.events).count, 1_000)
        XCTAssertEqual(log.events.count, 1_000)
    }

    func testWaitForEventReturnsWithThatEventOnly() async {
        let log = EventLog()
        let reader = Task {
            await log.waitForEvent("second")
            return log.events
        }
        log.record("first")
        log.record("second")
        let seen = await reader.value
        XCTAssertEqual(seen, ["first", "second"])
    }

    func testWaitForEventReturnsForAnEarlierEvent() async {
        let log = EventLog()
        log.record("early")
        await bounded { await log.waitForEvent("early") }
    }
}
