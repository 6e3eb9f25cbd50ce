import Foundation

/// The state of a job's own code, and the job's first unfinished tasks.
struct JobStall {
    fileprivate(set) var isSuspended = false
    /// The first unfinished tasks, in the order tracked.
    private(set) var tasks: [TaskStall] = []
    /// How many more unfinished tasks there are.
    private(set) var omittedCount = 0
    /// Text to add to the job's line.
    ///
    /// It is empty for a job that only waits for its tasks.
    private(set) var words = ""

    /// How many tasks have finished and wait for their callbacks, except the one in its callback.
    fileprivate var undeliveredCount = 0
    fileprivate var callback: (action: JobState.Machine.Action, since: CoarseTime)?
    /// The record of the callback, retained here because the callback's action does not retain it.
    ///
    /// The task is stored separately, because the record may be emptied in the meantime.
    fileprivate var record: TaskRecord?
    fileprivate var task: Operation?
    fileprivate var group: JobGroup?
    fileprivate var isStarted = false
    fileprivate var isInMain = false
    fileprivate var ending: JobState.Machine.Ending?
    fileprivate var endRequestedAt = CoarseTime(rawValue: 0)

    init(of job: JobController, limit: Int, at now: CoarseTime) {
        job.shell.ask { $0.read(&self, job.shell.completionQueue) }
        words = text(of: job, at: now)
        let unfinished = UnfinishedTasks(of: job.shell, limit: limit)
        (tasks, omittedCount) = (unfinished.entries, unfinished.omittedCount)
    }

    private func text(of job: JobController, at now: CoarseTime) -> String {
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

extension JobState {
    /// Reads the current position of the job's own code.
    fileprivate func read(_ stall: inout JobStall, _ completionQueue: CompletionQueue) {
        stall.isSuspended = isSuspended
        stall.callback = callback
        stall.record = callbackRecord
        stall.task = stall.record?.task
        if case .callGroupFinished(let number)? = callback?.action {
            stall.group = group(number).group
        }
        stall.isStarted = machine.isStarted
        stall.isInMain = machine.hasEnteredMain && !machine.isAfterMain
        (stall.ending, stall.endRequestedAt) = (machine.ending, endRequestedAt)
        let inCallback = stall.record == nil ? 0 : 1
        let waiting = completionQueue.finishedCount - tasks.endedCount - inCallback
        stall.undeliveredCount = hasUndelivered ? max(0, waiting) : 0
    }
}
