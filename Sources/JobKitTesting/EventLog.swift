import JobKit

/// Records events in order, so that a test can compare them.
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
    private struct State {
        var events: [String] = []
        /// A gate for each event that a test waits for and that is not recorded yet.
        var gates: [String: Gate] = [:]
    }

    private let guarded = Guarded(State())

    /// Creates an empty log.
    public init() {}

    /// The events so far, oldest first.
    public var events: [String] {
        guarded.withLock { $0.events }
    }

    /// Appends an event, and resumes the Swift tasks that wait for it.
    ///
    /// - Parameter event: The event, in the test's own words.
    public func record(_ event: String) {
        let gate = guarded.withLock { state in
            state.events.append(event)
            return state.gates.removeValue(forKey: event)
        }
        gate?.open()
    }

    /// Suspends the calling Swift task until an event has been recorded, before or after the call.
    ///
    /// A cancelled Swift task keeps waiting.
    ///
    /// - Parameter event: The event, exactly as it is recorded.
    public func waitForEvent(_ event: String) async {
        let gate = guarded.withLock { state -> Gate? in
            guard !state.events.contains(event) else { return nil }
            let gate = state.gates[event] ?? Gate()
            state.gates[event] = gate
            return gate
        }
        await gate?.waitUntilOpen()
    }
}
