/// Identifies one entry from its arrival in a queue until it leaves.
///
/// A slot is reused, but a sequence number is not.
struct TaskQueueTicket: Comparable, Hashable, Sendable {
    /// The number of the entry, in the order added.
    let sequence: Int
    private let index: Int32

    /// Fits into 16 bytes even as an optional, because a list has one for each entry.
    init(sequence: Int, slot: Int) {
        self.sequence = sequence
        index = Int32(slot)
    }

    var slot: Int { Int(index) }

    static func < (left: Self, right: Self) -> Bool { left.sequence < right.sequence }
}
