import Dispatch
import Synchronization

/// Counts the completions of one round.
///
/// Every variant uses it, so that the compiler optimizes none of them away. A completion too many
/// traps immediately. A missing completion traps when the wait times out.
///
/// > Thread: Any.
final class Completions: Sendable {
    /// The number of completions that the round must have.
    let expected: Int

    private let count = Atomic<Int>(0)
    private let reached = DispatchSemaphore(value: 0)

    /// Expects at least one completion.
    init(expected: Int) {
        precondition(expected > 0, "a round without completions measures nothing")
        self.expected = expected
    }

    /// Counts a completion, and wakes the waiting thread at the last one.
    func complete() {
        let completed = count.add(1, ordering: .acquiringAndReleasing).newValue
        precondition(completed <= expected, "\(completed) completions of \(expected) expected")
        guard completed == expected else { return }
        reached.signal()
    }

    /// Blocks the thread until all completions have been counted.
    func wait(timeout: DispatchTimeInterval = .seconds(120)) {
        guard reached.wait(timeout: .now() + timeout) == .timedOut else { return }
        fatalError("\(count.load(ordering: .acquiring)) completions of \(expected) expected")
    }

    /// Traps unless exactly the expected completions were counted.
    func verify() {
        let completed = count.load(ordering: .acquiring)
        precondition(completed == expected, "\(completed) completions of \(expected) expected")
    }
}
