import Foundation
import Synchronization

/// Numbers for events, unique in the process.
enum OperationNumber {
    private static let last = Atomic<Int>(0)
    /// The numbers of plain operations while some job tracks them.
    private static let foreign = Guarded<[ObjectIdentifier: Int]>([:])

    static func next() -> Int { last.add(1, ordering: .relaxed).newValue }

    static func number(ofForeign operation: Operation) -> Int {
        foreign.withLock { numbers in
            let id = ObjectIdentifier(operation)
            if let number = numbers[id] { return number }
            let number = next()
            numbers[id] = number
            return number
        }
    }

    static func forgetForeign(_ operation: Operation) {
        foreign.withLock { $0[ObjectIdentifier(operation)] = nil }
    }
}

extension Operation {
    /// The number of this operation in events.
    var eventID: Int {
        guard let concurrent = self as? ConcurrentOperation else {
            return OperationNumber.number(ofForeign: self)
        }
        let number = concurrent.number.load(ordering: .acquiring)
        guard number == 0 else { return number }
        let (isSet, other) = concurrent.number.compareExchange(
            expected: 0,
            desired: OperationNumber.next(),
            ordering: .acquiringAndReleasing
        )
        return isSet ? concurrent.number.load(ordering: .acquiring) : other
    }
}
