import Foundation

/// Tasks that several jobs track: the last of them decides.
///
/// Two jobs that end at once each decide upon their end before they look at the other, so that one
/// of them sees that the other has ended.
extension JobShell {
    /// Whether another job that has not ended tracks the task.
    func sharesTask(of record: TaskRecord) -> Bool {
        guard let task = send({ _ in record.task }) else { return false }
        // As a rule there is none, and else the first will do.
        for limit in [1, Int.max] {
            let others =
                (task as? ConcurrentOperation)?
                .hooks.withLock { $0.subscribers(limit, otherThan: record) }
                ?? PlainOperations.subscribers(limit, of: task, otherThan: record)
            if others.contains(where: { ($0 as? TaskRecord)?.isWaitedFor == true }) { return true }
            if others.count < limit { return false }
        }
        return false
    }

    /// The job leaves the task alone, and is not told of it again.
    func leave(_ record: TaskRecord, _ task: Operation) {
        settle(record)
        unsubscribe(record, from: task)
    }

    func unsubscribe(_ record: TaskRecord, from task: Operation) {
        if let concurrent = task as? ConcurrentOperation {
            concurrent.hooks.withLock { $0.unsubscribe(record) }
        } else {
            _ = PlainOperations.unsubscribe(record, from: task)?.detach()
        }
    }

    fileprivate func waits(for record: TaskRecord) -> Bool {
        send { $0.waits(for: record) }
    }
}

extension TaskRecord {
    /// Whether its job has not ended, and waits for the task.
    fileprivate var isWaitedFor: Bool { shell.waits(for: self) }
}
