import Foundation

/// The five priorities of `Operation.QueuePriority`, the most urgent first.
enum OperationPriority: Int, CaseIterable, Sendable {
    case veryHigh
    case high
    case normal
    case low
    case veryLow

    init(of operation: borrowing Operation) {
        self.init(queuePriority: operation.queuePriority.rawValue)
    }

    /// Reports the priority of an operation after its property was set.
    ///
    /// Repeats until the reported priority is the property's value, because two threads may set it
    /// at once.
    static func changed(of operation: Operation, _ report: (OperationPriority) -> Void) {
        var priority: OperationPriority
        repeat {
            priority = OperationPriority(of: operation)
            report(priority)
        } while OperationPriority(of: operation) != priority
    }

    /// Creates the priority from the raw value of an `Operation.QueuePriority`.
    init(queuePriority: Int) {
        self =
            switch queuePriority {
            case 8...: .veryHigh
            case 1...: .high
            case 0: .normal
            case -7 ... -1: .low
            default: .veryLow
            }
    }
}
