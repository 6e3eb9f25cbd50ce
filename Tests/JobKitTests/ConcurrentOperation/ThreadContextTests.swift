import Foundation
import XCTest

@testable import JobKit

final class ThreadContextTests: XCTestCase {
    func testEachThreadHasOneOfItsOwn() async {
        let seen = Guarded<Set<ObjectIdentifier>>([])
        let contexts = Guarded<[ThreadContextBox]>([])
        // A thread that begins when another has ended may get its context's address.
        let line = StartLine(4)
        await runOnThreads(4) { _ in
            let context = ThreadContext.current
            XCTAssertTrue(context === ThreadContext.current)
            seen.withLock { _ = $0.insert(ObjectIdentifier(context)) }
            contexts.withLock { $0.append(ThreadContextBox(context)) }
            line.cross()
        }
        XCTAssertEqual(seen.withLock { $0.count }, 4)
        await eventually { contexts.withLock { $0.allSatisfy { $0.context == nil } } }
    }

    func testStartsNest() async {
        await runOnThreads(1) { _ in
            let context = ThreadContext.current
            let (outer, inner) = (Operation(), Operation())
            XCTAssertNil(context.frame.operation)
            let frame = context.start(outer, isWorkers: true) {
                XCTAssertTrue(context.frame.isOf(outer))
                XCTAssertTrue(context.frame.isWorkers)
                context.frame.waiters = []
                _ = context.start(inner) {
                    XCTAssertTrue(context.frame.isOf(inner))
                    XCTAssertFalse(context.frame.isWorkers)
                    XCTAssertNil(context.frame.waiters)
                }
                XCTAssertTrue(context.frame.isOf(outer))
            }
            XCTAssertNotNil(frame.waiters)
            XCTAssertNil(context.frame.operation)
        }
    }
}

/// Tells whether a context has been released with its thread.
private struct ThreadContextBox: Sendable {
    nonisolated(unsafe) weak var context: ThreadContext?

    init(_ context: ThreadContext) { self.context = context }
}
