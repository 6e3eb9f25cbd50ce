import Foundation
import Synchronization

/// Numbers for events, unique in the process.
enum OperationNumber {
    private static let last = Atomic<Int>(0)
    static func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}

extension ConcurrentOperation {
    /// The `operationID`, for callers that have a `ConcurrentOperation`.
    final var eventNumber: Int {
        let known = number.load(ordering: .acquiring)
        guard known == 0 else { return known }
        let new = OperationNumber.next()
        let (isSet, other) = number.compareExchange(
            expected: 0,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        return isSet ? new : other
    }
}
