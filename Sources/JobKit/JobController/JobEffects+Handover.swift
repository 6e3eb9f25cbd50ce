import Foundation
import Synchronization

/// Putting tasks into their queues, each when ``HandoverStateMachine`` says so.
extension JobEffects {
    /// Puts the task into its queue, or holds it.
    func submit(_ record: TaskRecord) {
        let departure = state.withLock { state -> Departure? in
            // The end of the job may have overtaken this call.
            guard record.handover == .none else { return nil }
            guard state.handover.taskSubmitted(record, group: record.group) else {
                record.handover = .held
                return nil
            }
            record.handover = .done
            let departure = Departure(record)
            guard state.isHandingOver, let departure else { return departure }
            state.handingOver.append(departure)
            return nil
        }
        if let departure { put(departure) }
    }

    /// Whether the task may go into its queue as soon as it is tracked, so that nothing else need be
    /// asked: nothing is held, and no other thread is putting tasks there.
    func admitAtOnce(_ record: TaskRecord, _ state: inout State) -> Bool {
        guard state.handover.admitsAll, !state.isHandingOver else { return false }
        record.handover = .done
        return true
    }

    /// Puts a task into its queue whose turn has come only now; an ending job starts none.
    func submitLater(_ record: TaskRecord) {
        let isDue = state.withLock { $0.machine.ending == nil && record.task != nil }
        if isDue { submit(record) }
    }

    /// The task has finished: it gives back its place in its group, or takes none any more.
    ///
    /// The caller calls ``handOver()``.
    func leaveQueue(_ record: TaskRecord, _ state: inout State) {
        switch record.handover {
        case .done:
            record.handover = .left
            guard state.handover.hasWidths else { return }
            admit(state.handover.taskLeftQueue(group: record.group), &state)
        case .none, .held:
            record.handover = .withdrawn
        case .left, .withdrawn:
            break
        }
    }

    /// Lines tasks up for ``handOver()``.
    private func admit(_ records: [TaskRecord], _ state: inout State) {
        var remaining = records
        while !remaining.isEmpty {
            let admitted = remaining
            remaining = []
            for record in admitted {
                if record.handover == .none || record.handover == .held {
                    record.handover = .done
                    if let departure = Departure(record) { state.handingOver.append(departure) }
                } else {
                    // Somebody else ran it while it waited: its place is free again.
                    remaining += state.handover.taskLeftQueue(group: record.group)
                }
            }
        }
    }

    /// Puts the admitted tasks into their queues, in order even if several threads come here.
    func handOver() {
        let mustAct = state.withLock { state in
            guard !state.isHandingOver, !state.handingOver.isEmpty else { return false }
            state.isHandingOver = true
            return true
        }
        guard mustAct else { return }
        while let departure = nextToHandOver() { put(departure) }
    }

    private func nextToHandOver() -> Departure? {
        state.withLock { state in
            guard let departure = state.handingOver.popFirst() else {
                state.isHandingOver = false
                return nil
            }
            return departure
        }
    }

    /// The job ends: decides whether the task was, or will be, put into its queue.
    ///
    /// From then on a task that is to be cancelled never gets there; one that is left running does.
    func withdraw(_ record: TaskRecord) -> Withdrawal {
        let withdrawal = state.withLock { state in
            var withdrawal = Withdrawal(task: record.task)
            switch record.handover {
            case .done, .left:
                withdrawal.wasQueued = true
            case .none, .held:
                if record.cancellation != .leaveRunning {
                    record.handover = .withdrawn
                    withdrawal.mustStart = record.queue != nil
                } else if record.queue != nil {
                    admit([record], &state)
                }
            case .withdrawn:
                break
            }
            return withdrawal
        }
        handOver()
        return withdrawal
    }

    /// A task on its way into its queue, which it reaches although the job may end meanwhile, and
    /// empty its record.
    struct Departure {
        let record: TaskRecord
        let task: Operation
        let queue: any OperationScheduling

        init?(_ record: TaskRecord) {
            guard let task = record.task, let queue = record.queue else { return nil }
            self.record = record
            self.task = task
            self.queue = queue
        }
    }

    struct Withdrawal {
        let task: Operation?
        var wasQueued = false
        /// No queue will start the task, so that the caller has to.
        var mustStart = false
    }

    private func put(_ departure: Departure) {
        put(departure.task, into: departure.queue, departure.record)
    }

    /// Puts a task into its queue unless it was started or has finished meanwhile.
    func put(_ task: Operation, into queue: any OperationScheduling, _ record: TaskRecord) {
        if let queue = queue as? TaskQueue {
            queue.effects.add(task, admission: .unlessStarted)
        } else if !task.isFinished, !task.isExecuting {
            queue.addOperation(task)
        }
        // Somebody else started it, and it finished before it had its place here.
        guard hasWidths.load(ordering: .sequentiallyConsistent), task.isFinished else { return }
        state.withLock { leaveQueue(record, &$0) }
        handOver()
    }

    func setWidth(_ width: Int, for group: JobGroup) {
        hasWidths.store(true, ordering: .sequentiallyConsistent)
        let records = state.withLock { $0.tasks.records.map { (record: $0, task: $0.task) } }
        // `isFinished` may be a user's code: it is asked without the lock.
        let finished = records.filter { $0.task?.isFinished ?? true }.map(\.record)
        state.withLock { state in
            let (number, isNew) = state.groups.number(of: group)
            if isNew { state.machine.groupAdded() }
            for record in finished {
                if record.handover == .done, !state.handover.hasWidths { record.handover = .left }
            }
            let inQueues = state.tasks.records.count {
                $0.group == number && $0.handover == .done
            }
            admit(
                state.handover.widthChanged(to: width, group: number, inQueues: inQueues),
                &state
            )
        }
        handOver()
    }

    func setSuspended(_ isSuspended: Bool) {
        state.withLock { state in
            state.machine.isSuspended = isSuspended
            admit(state.handover.suspensionChanged(to: isSuspended), &state)
        }
        handOver()
        if !isSuspended { deliverElsewhere() }
    }
}
