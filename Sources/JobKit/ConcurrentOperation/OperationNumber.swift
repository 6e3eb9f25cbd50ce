import Foundation
import Synchronization

extension ConcurrentOperation {
    private static let lastNumber = Atomic<Int>(0)

    /// Returns a number for events that is unique in the process.
    static func nextNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    /// The `operationID`, for callers that have a `ConcurrentOperation`.
    final var eventNumber: Int {
        let known = number.load(ordering: .acquiring)
        guard known == 0 else { return known }
        let new = Self.nextNumber()
        let (isSet, other) = number.compareExchange(
            expected: 0,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        return isSet ? new : other
    }
}
