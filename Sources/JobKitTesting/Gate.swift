import Dispatch
import JobKit

/// Holds back threads and Swift tasks until a test opens it.
///
/// A gate is opened once and stays open. It makes an order certain without sleeping: work waits at
/// the gate while the test checks the events so far, and continues when the test opens the gate.
///
/// ```swift
/// let began = Gate()
/// let release = Gate()
/// queue.addOperation {
///     began.open()
///     release.wait()
/// }
/// await began.waitUntilOpen()
/// XCTAssertEqual(queue.operationCount, 1)
/// release.open()
/// ```
///
/// All code that has passed the gate sees every change that was made before ``open()``.
///
/// > Thread: Any. No lock is held while waiters are released.
public final class Gate: Sendable {
    /// The closures that release the waiters, or nil if the gate is open.
    private let releases = Guarded<[@Sendable () -> Void]?>([])

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate has been opened.
    public var isOpen: Bool {
        releases.withLock { $0 == nil }
    }

    /// Releases all waiters, in the order in which they came, and lets all later ones pass.
    ///
    /// Opening an open gate has no effect.
    public func open() {
        let waiting = releases.withLock { $0.take() }
        for release in waiting ?? [] { release() }
    }

    /// Blocks the calling thread until the gate is open.
    ///
    /// Use it in synchronous code. A Swift task awaits ``waitUntilOpen()`` instead.
    @available(*, noasync, message: "blocks its thread; await waitUntilOpen() instead")
    public func wait() {
        let semaphore = DispatchSemaphore(value: 0)
        whenOpen { semaphore.signal() }
        semaphore.wait()
    }

    /// Suspends the calling Swift task until the gate is open.
    ///
    /// A cancelled Swift task keeps waiting, so the test decides when cancelled work stops.
    public func waitUntilOpen() async {
        await withCheckedContinuation { continuation in
            whenOpen { continuation.resume() }
        }
    }

    private func whenOpen(_ release: @escaping @Sendable () -> Void) {
        let isOpen = releases.withLock { releases in
            releases?.append(release)
            return releases == nil
        }
        if isOpen { release() }
    }
}
