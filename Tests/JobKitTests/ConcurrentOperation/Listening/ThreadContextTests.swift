import Foundation
import XCTest

@testable import JobKit

final class ThreadContextTests: XCTestCase {
    func testEachThreadHasOneOfItsOwn() async {
        let seen = Guarded<Set<Int>>([])
        let released = Tally()
        // A thread that begins after another has ended may get the same context address.
        let line = StartLine(4)
        await runOnThreads(4) { _ in
            let context = ThreadContext.current
            XCTAssertEqual(context, ThreadContext.current)
            seen.withLock { _ = $0.insert(Int(bitPattern: context)) }
            let token = ReleaseToken { released.add() }
            context.pointee.frame.waiters = [FinishWaiter { withExtendedLifetime(token) {} }]
            line.cross()
        }
        XCTAssertEqual(seen.withLock { $0.count }, 4)
        await eventually { released.count == 4 }
    }

    func testStartsNest() async {
        await runOnThreads(1) { _ in
            let context = ThreadContext.current
            let (outer, inner) = (Operation(), Operation())
            XCTAssertNil(context.pointee.frame.operation)
            let frame = context.start(in: StartFrame(outer, isStartedByWorker: true)) {
                XCTAssertTrue(context.pointee.frame.isOf(outer))
                XCTAssertTrue(context.pointee.frame.isStartedByWorker)
                context.pointee.frame.waiters = []
                _ = context.start(in: StartFrame(inner)) {
                    XCTAssertTrue(context.pointee.frame.isOf(inner))
                    XCTAssertFalse(context.pointee.frame.isStartedByWorker)
                    XCTAssertNil(context.pointee.frame.waiters)
                }
                XCTAssertTrue(context.pointee.frame.isOf(outer))
            }
            XCTAssertNotNil(frame.waiters)
            XCTAssertNil(context.pointee.frame.operation)
        }
    }
}
