import Foundation
import Synchronization

/// Putting tasks into their queues, each when ``JobAdmission`` says so.
extension JobShell {
    /// Puts the task into its queue, or holds it.
    func submit(_ record: TaskRecord) {
        if let submission = state.withLock({ $0.admission.submit(record) }) {
            put(submission.task, into: submission.queue, record)
        }
    }

    /// Puts a task into its queue whose turn has come only now; an ending job starts none.
    func submitLater(_ record: TaskRecord) {
        let isDue = state.withLock { $0.machine.ending == nil && record.task != nil }
        if isDue { submit(record) }
    }

    /// The job ends: decides whether the task was, or will be, put into its queue.
    func withdraw(_ record: TaskRecord, isLeft: Bool) -> JobAdmission.Withdrawal {
        let withdrawal = state.withLock { $0.admission.withdraw(record, isLeft: isLeft) }
        putAdmitted()
        return withdrawal
    }

    /// Puts the admitted tasks into their queues, in order even if several threads come here.
    func putAdmitted() {
        guard state.withLock({ $0.admission.claimLine() }) else { return }
        while let next = state.withLock({ $0.admission.nextInLine() }) {
            put(next.task, into: next.queue, next.record)
        }
    }

    /// Puts a task into its queue unless it was started or has finished meanwhile.
    func put(_ task: Operation, into queue: any OperationScheduling, _ record: TaskRecord) {
        if let queue = queue as? TaskQueue {
            queue.shell.add(task, admission: .unlessStarted)
        } else if !task.isFinished, !task.isExecuting {
            queue.addOperation(task)
        }
        // Somebody else started it, and it finished before it had its place here.
        if countsGroups.load(ordering: .sequentiallyConsistent), task.isFinished {
            leaveQueue(record)
        }
    }

    /// The task has finished: gives its place in its group to the next.
    func leaveQueue(_ record: TaskRecord) {
        guard countsGroups.load(ordering: .sequentiallyConsistent) else { return }
        state.withLock { $0.admission.taskFinished(record) }
        putAdmitted()
    }

    // MARK: Width and suspension

    /// Sets a width; the first one has all tasks asked once whether they are in their queues.
    func setWidth(_ width: Int, for group: JobGroup) {
        guard width < .max || countsGroups.load(ordering: .sequentiallyConsistent) else { return }
        // Whoever finishes from now on gives its place back.
        countsGroups.store(true, ordering: .sequentiallyConsistent)
        let records = state.withLock { state in
            state.admission.isCounting ? [] : state.tasks.records.map { ($0, $0.task) }
        }
        // `isFinished` may be a user's code: it is asked without the lock.
        let finished = records.filter { $0.1?.isFinished ?? true }.map(\.0)
        state.withLock { state in
            let (number, isNew) = state.groups.number(of: group)
            if isNew { state.machine.groupAdded() }
            if !state.admission.isCounting {
                state.admission.beginCounting(state.tasks.records, finished: finished)
            }
            state.admission.widthChanged(to: width, group: number)
        }
        putAdmitted()
    }

    func setSuspended(_ isSuspended: Bool) {
        state.withLock { state in
            state.machine.isSuspended = isSuspended
            state.admission.suspensionChanged(to: isSuspended)
        }
        putAdmitted()
        if !isSuspended { deliverElsewhere() }
    }
}
