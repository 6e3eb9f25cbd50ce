/// A queue of start-up tasks that removes any of them without a look at the others.
struct StartupQueue<Task: Identifiable & Sendable>: Sendable where Task.ID: Sendable {
    private var tasks: [Int: Task] = [:]
    /// The tasks' numbers in order, with those of removed ones.
    private var order = FIFO<Int>()
    private var numbers: [Task.ID: FIFO<Int>] = [:]
    private var nextNumber = 0

    mutating func append(_ task: Task) {
        tasks[nextNumber] = task
        order.append(nextNumber)
        numbers[task.id, default: FIFO()].append(nextNumber)
        nextNumber += 1
    }

    mutating func popFirst() -> Task? {
        while let number = order.popFirst() {
            guard let task = tasks.removeValue(forKey: number) else { continue }
            // A task's numbers are in order, so the first in the queue is its first.
            _ = numbers[task.id]?.popFirst()
            if numbers[task.id]?.isEmpty == true { numbers[task.id] = nil }
            return task
        }
        return nil
    }

    /// Returns the tasks removed, so that they are released outside the lock.
    mutating func remove(_ id: Task.ID) -> [Task] {
        let removed = (numbers.removeValue(forKey: id)?.elements ?? [])
            .compactMap { tasks.removeValue(forKey: $0) }
        if order.count > 2 * tasks.count + 16 { order.removeAll { tasks[$0] == nil } }
        return removed
    }

    /// Returns the tasks removed, so that they are released outside the lock.
    mutating func removeAll() -> [Task] {
        defer {
            tasks = [:]
            order = FIFO()
            numbers = [:]
        }
        return Array(tasks.values)
    }
}

/// What stands in the queue of a manager: a task, or the manager itself.
struct StartupEntry: Identifiable, Sendable {
    let id: ObjectIdentifier

    // Tasks need not be `Sendable`. The manager hands one from thread to thread under its lock, and
    // calls it on one thread at a time.
    /// The task; `nil` for the manager, which would otherwise keep itself alive.
    nonisolated(unsafe) let task: (any AppStartTask)?

    init(_ task: any AppStartTask, in manager: AppStartTaskManager) {
        id = ObjectIdentifier(task)
        self.task = task === manager ? nil : task
    }
}
