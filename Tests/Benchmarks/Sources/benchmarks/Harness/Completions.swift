import Dispatch
import Synchronization

/// Counts the completions of one round; every variant counts with it, so none is optimised away.
///
/// A completion too many traps at once, one too few when the wait runs out.
///
/// > Thread: Any.
final class Completions: Sendable {
    /// How many completions the round must have.
    let expected: Int

    private let count = Atomic<Int>(0)
    private let reached = DispatchSemaphore(value: 0)

    /// Expects `expected` completions, at least one.
    init(expected: Int) {
        precondition(expected > 0, "a round without completions measures nothing")
        self.expected = expected
    }

    /// Counts one completion, and wakes the waiting thread at the last.
    func complete() {
        let completed = count.add(1, ordering: .acquiringAndReleasing).newValue
        precondition(completed <= expected, "\(completed) completions of \(expected) expected")
        guard completed == expected else { return }
        reached.signal()
    }

    /// Blocks the thread until all completions were counted.
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
