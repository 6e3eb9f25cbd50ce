import Foundation
import JobKit
import JobKitTesting
import XCTest

final class EventOperationTests: XCTestCase {
    func testEventExecutesUntilItHappensAndFreesItsDependents() async throws {
        let queue = TaskQueue()
        let (login, log) = (EventOperation<String>(name: "login"), EventLog())
        let sync = ClosureOperation { log.record("sync") }
        sync.addDependency(login)
        queue.addOperations([login, sync])
        await eventually { login.isExecuting }
        XCTAssertEqual(log.events, [])
        login.finish(returning: "user")
        login.finish(returning: "another")
        let user = try await login.value
        XCTAssertEqual(user, "user")
        await bounded { await sync.waitForFinish() }
        XCTAssertEqual(log.events, ["sync"])
    }

    func testEventThatHasHappenedBeforeItsStart() async throws {
        let event = EventOperation<Void>()
        event.finish()
        try await event.run()
    }

    func testEventEndsWhenItIsCancelledOrTimesOut() async {
        let cancelled = EventOperation<Int>()
        cancelled.start()
        cancelled.cancel()
        XCTAssertTrue(cancelled.isFinished)
        XCTAssertEqual(cancelled.outcome?.text, "cancelled")

        let clock = ManualClock()
        let late = EventOperation<Int>(name: "late")
        late.clock = clock
        late.maximumRuntime = .seconds(5)
        late.start()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await bounded { await late.waitForFinish() }
        XCTAssertEqual(
            late.error as? OperationTimeoutError,
            OperationTimeoutError(name: "late", limit: .seconds(5))
        )
    }
}
