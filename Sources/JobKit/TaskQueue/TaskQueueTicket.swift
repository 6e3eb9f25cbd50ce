/// One stay of one entry in a queue.
///
/// A slot is used again; a sequence number is not.
struct TaskQueueTicket: Comparable, Hashable, Sendable {
    /// Counts the entries in the order added.
    let sequence: Int
    let slot: Int

    static func < (left: Self, right: Self) -> Bool { left.sequence < right.sequence }
}
