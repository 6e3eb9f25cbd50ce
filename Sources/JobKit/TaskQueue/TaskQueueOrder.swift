/// An entry's place in the order of its queue: by priority, within a priority by when it was added.
struct TaskQueueOrder: Comparable, Sendable {
    let priority: Int
    let sequence: Int

    /// The place before all entries.
    static let beforeAll = TaskQueueOrder(priority: -1, sequence: -1)

    static func < (left: Self, right: Self) -> Bool {
        (left.priority, left.sequence) < (right.priority, right.sequence)
    }
}
