import Foundation
import Synchronization

/// Tracks tasks and receives their finishes.
extension JobShell {
    /// Begins to track the record's task.
    ///
    /// - Parameters:
    ///   - record: The task's record, which may be delivered and emptied as soon as it listens.
    ///   - task: The record's task.
    ///   - queue: The record's queue.
    ///   - group: The group that was passed, if any.
    ///   - job: The job.
    ///   - isSubmittedLater: Whether the task enters its queue only when ``submitLater(_:)`` is
    ///     called.
    func track(
        _ record: TaskRecord,
        _ task: Operation,
        on queue: (any OperationScheduling)?,
        group: JobGroup?,
        for job: JobController,
        isSubmittedLater: Bool = false
    ) {
        let nested = record.nestedJob
        if let nested {
            refuseAncestor(nested, of: job)
            features.insert(.ownFractions)
        }
        let isQueued = queue != nil
        // At most one element. Destroying an optional of this size takes 124 instructions, for each
        // task.
        var notifications: [TaskNotification] = []
        let isSubmitted = isQueued && !isSubmittedLater
        let (tracking, isEnqueued) = send {
            $0.taskTracked(
                record,
                task,
                group: group,
                by: job,
                isSubmitted: isSubmitted,
                &notifications
            )
        }
        switch tracking {
        case nil: refuse(task, of: job, "again before it is delivered")
        case .refused:
            let advice = "Keep it open with an EventOperation that ends after the last call"
            refuse(task, of: job, "because \(job.label) has finished. \(advice) of track")
        case .normal, .cancelAtOnce: break
        }
        while let notification = notifications.popLast() {
            record.notifyTracked(notification)
        }
        if let context { Self.handDown((context, nil), to: task) }
        if tracking == .normal {
            if isEnqueued, let shell = queue?.taskQueueShell {
                let entry = shell._withUnsafeGuaranteedRef {
                    $0.add(task, mayHaveStarted: true, record, of: job)
                }
                if entry.hasFinished { taskHadFinished(task, record) }
            } else {
                listen(to: task, record)
                if let queue, isEnqueued, !task.isFinished {
                    queue.addUnlessStarted(task)
                } else if isSubmitted, !task.isFinished {
                    submit(record)
                }
            }
        } else {
            listen(to: task, record)
            CancelSweep([TaskCancelStep(record, task)]).run()
            if send({ $0.lateTaskCancelled() }) { stopWaiting(for: record) }
            releaseUncallable()
            deliverElsewhere()
        }
        progressTracks(task, record)
        if !isQueued || nested?.shell.hasTasks == true { lendPermit(to: task) }
    }

    private func refuse(_ task: Operation, of job: JobController, _ reason: String) -> Never {
        fatalError("JobKit: \(job.label) can't track \(operationLabel(task)) \(reason).")
    }

    // MARK: Finishes

    private func listen(to task: Operation, _ record: TaskRecord) {
        if !task.addListener(record) { taskHadFinished(task, record) }
    }

    private func taskHadFinished(_ task: Operation, _ record: TaskRecord) {
        taskFinished(record, hasFailed: task.ownError != nil)
        deliverElsewhere()
    }

    /// Called on the thread that finishes the task, which then claims the delivery.
    func taskFinished(_ record: TaskRecord, hasFailed: Bool) {
        if features.contains(.observed) { record.notify(.finished) }
        send { $0.taskFinished(record, hasFailed: hasFailed) }
    }
}
