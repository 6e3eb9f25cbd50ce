import Foundation

/// The reason why a job's own code does not continue, and the job's first unfinished tasks.
struct JobStall {
    /// Text to add to the job's line.
    ///
    /// It is empty for a job that only waits for its tasks.
    let words: String
    let isSuspended: Bool
    /// The first unfinished tasks, in the order tracked.
    let tasks: [TaskStall]
    /// How many more unfinished tasks there are.
    let omittedCount: Int
}

extension JobShell {
    /// Returns the state of the job's own code and its first unfinished tasks.
    func stall(of job: JobController, limit: Int, at now: CoarseTime) -> JobStall {
        var code = StalledCode()
        ask { $0.read(&code, completionQueue) }
        let groups = StalledGroups()
        let tasks = UnfinishedTasks(of: self, limit: limit) { state, record, task in
            TaskStall(task, record, of: job, groupLimit: groups.limit(of: record, state))
        }
        return JobStall(
            words: code.words(of: job, at: now),
            isSuspended: code.isSuspended,
            tasks: tasks.entries,
            omittedCount: tasks.omittedCount
        )
    }

    /// Returns the state of one task of this job, for the report of another job.
    ///
    /// Nil if the job no longer tracks it.
    func stall(of record: TaskRecord) -> TaskStall? {
        ask { state in
            guard let task = record.task, let job = state.job else { return nil }
            return TaskStall(task, record, of: job, groupLimit: nil)
        }
    }
}

extension JobState {
    /// Reads the current position of the job's own code.
    fileprivate func read(_ code: inout StalledCode, _ completionQueue: CompletionQueue) {
        code.isSuspended = isSuspended
        code.callback = callback
        code.record = callback?.record
        code.task = code.record?.task
        if case .callGroupFinished(let number)? = callback?.action {
            code.group = group(number).group
        }
        code.isStarted = machine.isStarted
        code.isInMain = machine.hasEnteredMain && !machine.isAfterMain
        (code.ending, code.endRequestedAt) = (machine.ending, endRequestedAt)
        let inCallback = code.record == nil ? 0 : 1
        let waiting = completionQueue.finishedCount - tasks.endedCount - inCallback
        code.undeliveredCount = hasUndelivered ? max(0, waiting) : 0
    }
}

/// The current position of the job's own code, read under the job's lock.
private struct StalledCode {
    fileprivate(set) var isSuspended = false
    /// How many tasks have finished and wait for their callbacks, except the one in its callback.
    fileprivate(set) var undeliveredCount = 0
    fileprivate(set) var callback: RunningCallback?
    /// The record of the callback, retained here because the callback's action does not retain it.
    ///
    /// The task is stored separately, because the record may be emptied in the meantime.
    fileprivate(set) var record: TaskRecord?
    fileprivate(set) var task: Operation?
    fileprivate(set) var group: JobGroup?
    fileprivate(set) var isStarted = false
    fileprivate(set) var isInMain = false
    fileprivate(set) var ending: JobState.Machine.Ending?
    fileprivate(set) var endRequestedAt = CoarseTime(rawValue: 0)

    func words(of job: JobController, at now: CoarseTime) -> String {
        let words = position(of: job, at: now)
        guard undeliveredCount > 0 else { return words }
        let waiting = undeliveredCount.counting("finished task")
        let verb = undeliveredCount == 1 ? "waits" : "wait"
        return words + "; \(waiting) \(verb)" + (isSuspended ? " until it is resumed" : "")
    }

    /// The call that the code is executing or waiting for.
    ///
    /// It is empty if the code only waits until a task finishes or the job is resumed.
    private func position(of job: JobController, at now: CoarseTime) -> String {
        func lasting(_ words: String, since start: CoarseTime) -> String {
            ", " + words + StallWords.time(since: start, to: now)
        }
        let lifecycle = job.currentLifecycle
        guard lifecycle.contains(.started), !lifecycle.contains(.finished) else { return "" }
        let start = CoarseTime(rawValue: job.enteredMainAt.load(ordering: .relaxed))
        if isInMain {
            guard ending == .finishedEarly || ending == .failed else {
                return lasting("in main()", since: start)
            }
            let call = ending == .failed ? "finish(with:)" : "finish()"
            let length = StallWords.length(from: endRequestedAt, to: now).map { " \($0)" } ?? ""
            return ", main() is still running\(length) after \(call)"
        }
        if let queue = job.shell.callbackQueue {
            guard isStarted else {
                return lasting("its main() waits for \(queue.label)", since: start)
            }
            let asked = CoarseTime(
                rawValue: job.shell.callbackQueueRequestedAt.load(ordering: .relaxed)
            )
            if asked.rawValue != 0 {
                return lasting("its callbacks wait for \(queue.label)", since: asked)
            }
        }
        guard let callback else { return "" }
        return lasting("in " + words(of: callback.action), since: callback.since)
    }

    private func words(of action: JobState.Machine.Action) -> String {
        let name = task.map(operationLabel) ?? "a task"
        return switch action {
        case .deliver:
            record == nil ? "a callback of perform(after:)" : "a callback of \(name)"
        case .callTaskFailed: "taskFailed(_:error:) of \(name)"
        case .callGroupFinished: "the callback of group \(group.map(\.description) ?? "")"
        case .callAllTasksFinished: "allTasksFinished()"
        case .callCancelled: "jobCancelled()"
        case .none, .discard, .finish: ""
        }
    }
}
