import Synchronization

/// A counter for any thread.
final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    @discardableResult
    func count() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }

    var value: Int { number.load(ordering: .sequentiallyConsistent) }
}
