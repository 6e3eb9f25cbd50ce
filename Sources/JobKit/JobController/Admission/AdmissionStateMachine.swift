/// Decides when a task goes into its queue: in order, none before the job was started or while it
/// is suspended, and no more of a group at a time than its width.
struct AdmissionStateMachine<Task> {
    private struct Held {
        let order: Int
        let task: Task
    }

    private struct Group {
        var width = Int.max
        var admittedCount = 0
        var held = FIFO<Held>()

        var mayAdmit: Bool { admittedCount < width && !held.isEmpty }
        var isIdle: Bool { width == .max && admittedCount == 0 && held.isEmpty }

        /// Returns whether the task goes, and takes a place, now.
        mutating func admitOrHold(_ task: Held, mayGo: Bool) -> Bool {
            guard mayGo, held.isEmpty, admittedCount < width else {
                held.append(task)
                return false
            }
            admittedCount += 1
            return true
        }
    }

    private var isOpen = false
    private var isSuspended = false
    /// Whether some group has, or had, a width: from the first one on the tasks are counted.
    private(set) var isCounting = false
    /// Those that have a width, hold something, or count something.
    private var groups: [Int: Group] = [:]
    private var nextOrder = 0

    /// Whether every task goes into its queue at once.
    var admitsAll: Bool { isOpen && !isSuspended && !isCounting }

    /// How many of a group may be admitted at a time, and how many are.
    func places(of group: Int) -> (width: Int, taken: Int) {
        groups[group].map { ($0.width, $0.admittedCount) } ?? (.max, 0)
    }

    // MARK: Inputs

    /// Returns whether the task goes into its queue now; otherwise it is held.
    mutating func taskSubmitted(_ task: Task, group: Int) -> Bool {
        guard !admitsAll else { return true }
        defer { nextOrder += 1 }
        // Mutates in place: even a temporary copy would copy the group's list.
        return groups[group, default: Group()]
            .admitOrHold(Held(order: nextOrder, task: task), mayGo: isOpen && !isSuspended)
    }

    /// A task that was admitted has finished; returns what is admitted now.
    mutating func taskLeft(group: Int) -> [Task] {
        guard isCounting, groups[group] != nil else { return [] }
        groups[group]?.admittedCount -= 1
        return admit(of: group)
    }

    /// The job was started; returns what is admitted now.
    mutating func jobStarted() -> [Task] {
        isOpen = true
        return admitAll()
    }

    mutating func suspensionChanged(to isSuspended: Bool) -> [Task] {
        self.isSuspended = isSuspended
        return admitAll()
    }

    /// The tasks that are in their queues were counted by group, because the first width is to be
    /// set.
    mutating func countingBegan(with counts: [Int: Int]) {
        isCounting = true
        for (group, count) in counts where count > 0 {
            groups[group, default: Group()].admittedCount = count
        }
    }

    /// The width of a group was set; before the first one comes ``countingBegan(with:)``.
    mutating func widthChanged(to width: Int, group: Int) -> [Task] {
        precondition(isCounting, "widthChanged() before countingBegan()")
        groups[group, default: Group()].width = width
        return admit(of: group)
    }

    /// Gives up holding anything; returns what was held, in order.
    mutating func removeAllHeld() -> [Task] {
        let held = groups.values.flatMap(\.held.elements)
        for group in groups.keys { groups[group]?.held = FIFO() }
        return held.sorted { $0.order < $1.order }.map(\.task)
    }

    // MARK: Admitting

    private mutating func admitAll() -> [Task] {
        guard isOpen, !isSuspended else { return [] }
        var admitted: [Held] = []
        for group in Array(groups.keys) { admitted += takeHeld(of: group) }
        return admitted.sorted { $0.order < $1.order }.map(\.task)
    }

    private mutating func admit(of group: Int) -> [Task] {
        guard isOpen, !isSuspended else { return [] }
        return takeHeld(of: group).map(\.task)
    }

    private mutating func takeHeld(of group: Int) -> [Held] {
        var taken: [Held] = []
        while groups[group]?.mayAdmit == true, let held = groups[group]?.held.popFirst() {
            if isCounting { groups[group]?.admittedCount += 1 }
            taken.append(held)
        }
        if groups[group]?.isIdle == true { groups[group] = nil }
        return taken
    }
}
