/// Decides when a task goes into its queue: in order, none while the job is suspended, and no more
/// of a group at a time than its width.
struct HandoverStateMachine<Task> {
    private struct Held {
        let order: Int
        let task: Task
    }

    private struct Group {
        var width = Int.max
        var inQueues = 0
        var held = FIFO<Held>()

        var mayHandOver: Bool { inQueues < width && !held.isEmpty }
    }

    private(set) var isSuspended = false
    private(set) var hasWidths = false
    private var groups: [Int: Group] = [:]
    private var nextOrder = 0

    /// Whether every task goes into its queue at once: there is no width, and no suspension.
    var admitsAll: Bool { !isSuspended && groups.isEmpty }

    /// Returns whether the task goes into its queue now; otherwise it is held.
    mutating func taskSubmitted(_ task: Task, group: Int) -> Bool {
        guard !admitsAll else { return true }
        var changed = groups[group] ?? Group()
        defer { groups[group] = changed }
        guard isSuspended || !changed.held.isEmpty || changed.inQueues >= changed.width else {
            changed.inQueues += 1
            return true
        }
        changed.held.append(Held(order: nextOrder, task: task))
        nextOrder += 1
        return false
    }

    /// A task that was put in its queue has finished; returns what goes into its queue now.
    mutating func taskLeftQueue(group: Int) -> [Task] {
        guard groups[group] != nil else { return [] }
        groups[group]?.inQueues -= 1
        return handOver(only: group)
    }

    /// Sets how many of a group may be in their queues, of which `inQueues` are there already.
    mutating func widthChanged(to width: Int, group: Int, inQueues: Int) -> [Task] {
        hasWidths = true
        groups[group, default: Group()].width = width
        groups[group]?.inQueues = inQueues
        return handOver(only: group)
    }

    mutating func suspensionChanged(to isSuspended: Bool) -> [Task] {
        self.isSuspended = isSuspended
        return handOver(only: nil)
    }

    /// Gives up holding anything; returns what was held, in order.
    mutating func removeAllHeld() -> [Task] {
        let held = groups.values.flatMap(\.held.elements)
        for group in groups.keys { groups[group]?.held = FIFO() }
        return held.sorted { $0.order < $1.order }.map(\.task)
    }

    private mutating func handOver(only group: Int?) -> [Task] {
        guard !isSuspended else { return [] }
        var tasks: [Held] = []
        for key in group.map({ [$0] }) ?? Array(groups.keys) {
            while groups[key]?.mayHandOver == true, let held = groups[key]?.held.popFirst() {
                groups[key]?.inQueues += 1
                tasks.append(held)
            }
        }
        return tasks.sorted { $0.order < $1.order }.map(\.task)
    }
}
