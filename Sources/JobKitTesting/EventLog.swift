import JobKit

/// Records what happened, in order, for a test to compare.
///
/// ```swift
/// let log = EventLog()
/// job.trackAndQueue(upload) { _ in log.record("uploaded") }
/// await log.waitForEvent("uploaded")
/// XCTAssertEqual(log.events, ["resized", "uploaded"])
/// ```
///
/// > Thread: Any. Events that are recorded one after another keep their order.
public final class EventLog: Sendable {
    private struct Waiter {
        let event: String
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var events: [String] = []
        var waiters: [Waiter] = []
    }

    private let guarded = Guarded(State())

    /// Creates an empty log.
    public init() {}

    /// The events so far, oldest first.
    public var events: [String] {
        guarded.withLock { $0.events }
    }

    /// Appends an event and resumes the tasks that wait for it.
    ///
    /// - Parameter event: What happened, in the test's own words.
    public func record(_ event: String) {
        let woken = guarded.withLock { state in
            state.events.append(event)
            let woken = state.waiters.filter { $0.event == event }
            state.waiters.removeAll { $0.event == event }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Suspends the calling task until an event has been recorded, before or after the call.
    ///
    /// A cancelled task keeps waiting.
    ///
    /// - Parameter event: The event, exactly as it is recorded.
    public func waitForEvent(_ event: String) async {
        await withCheckedContinuation { continuation in
            let isRecorded = guarded.withLock { state in
                let isRecorded = state.events.contains(event)
                if !isRecorded {
                    state.waiters.append(Waiter(event: event, continuation: continuation))
                }
                return isRecorded
            }
            if isRecorded { continuation.resume() }
        }
    }
}
