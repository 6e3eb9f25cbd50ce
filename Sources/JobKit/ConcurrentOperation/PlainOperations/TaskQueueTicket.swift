/// One stay of one entry in a queue.
///
/// A slot is used again; a sequence number is not.
struct TaskQueueTicket: Comparable, Hashable, Sendable {
    /// Counts the entries in the order added.
    let sequence: Int
    private let index: Int32

    /// In 16 bytes, even as an optional, of which a list has one for each entry.
    init(sequence: Int, slot: Int) {
        self.sequence = sequence
        index = Int32(slot)
    }

    var slot: Int { Int(index) }

    static func < (left: Self, right: Self) -> Bool { left.sequence < right.sequence }
}
