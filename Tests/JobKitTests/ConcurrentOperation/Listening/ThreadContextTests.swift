import Foundation
import JobKitTesting
import XCTest

@testable import JobKit

final class ThreadContextTests: XCTestCase {
    func testEachThreadHasItsOwnContext() async {
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

    func testNestedStartsHaveTheirOwnFrames() async {
        await runOnThreads(1) { _ in
            let context = ThreadContext.current
            let (outer, inner) = (Operation(), Operation())
            XCTAssertNil(context.pointee.frame.operation)
            let frame = context.start(in: StartFrame(outer, taskStart: .atOnce)) {
                XCTAssertTrue(context.pointee.frame.isOf(outer))
                XCTAssertTrue(context.pointee.frame.isStartedByWorker)
                context.pointee.frame.waiters = [FinishWaiter {}]
                _ = context.start(in: StartFrame(inner)) {
                    XCTAssertTrue(context.pointee.frame.isOf(inner))
                    XCTAssertFalse(context.pointee.frame.isStartedByWorker)
                    XCTAssertTrue(context.pointee.frame.waiters.isEmpty)
                }
                XCTAssertTrue(context.pointee.frame.isOf(outer))
            }
            XCTAssertFalse(frame.waiters.isEmpty)
            XCTAssertNil(context.pointee.frame.operation)
        }
    }

    // O1, J5: an operation that finishes during its start is delivered once and releases its permit.
    func testOperationFinishedInsideTheStartOfAnotherIsDeliveredOnce() async throws {
        let queue = TaskQueue(maxConcurrentOperationCount: 1)
        for _ in 0..<50 {
            let count = Tally()
            let outer = ScriptedOperation { outer in
                ScriptedOperation { inner in
                    outer.finish()
                    inner.finish()
                }
                .start()
            }
            let job = ScriptedJob { job in
                job.trackAndQueue(outer, on: queue) { _ in count.add() }
                job.trackAndQueue(InstantOperation("next"), on: queue) { _ in count.add() }
            }
            try await job.run()
            XCTAssertEqual(count.count, 2)
        }
        await drain(queue)
    }
}
