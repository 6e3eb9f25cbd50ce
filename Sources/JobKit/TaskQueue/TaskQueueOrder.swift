/// An entry's position in its queue: by priority and, within a priority, by the time it was added.
struct TaskQueueOrder: Comparable, Sendable {
    let priority: Int
    let sequence: Int

    static func < (left: Self, right: Self) -> Bool {
        (left.priority, left.sequence) < (right.priority, right.sequence)
    }
}
