import Foundation

/// The current position of a job's own code.
struct CodePosition {
    private let job: JobController
    let isSuspended: Bool
    private let isStarted: Bool
    private let isInMain: Bool
    private let ending: JobState.Machine.Ending?
    private let endRequestedAt: CoarseTime
    private let callback: (action: JobState.Machine.Action, since: CoarseTime)?
    /// The record of the callback, retained here because the callback's action does not retain it.
    private let record: TaskRecord?
    /// Stored separately, because the record may be emptied in the meantime.
    private let task: Operation?
    private let group: JobGroup?
    /// How many tasks have finished and wait for their callbacks, except the one in its callback.
    private let undeliveredCount: Int

    /// Reads the position of a job's code.
    static func of(_ job: JobController) -> CodePosition? {
        // Not returned by `ask`, because its contents cannot be sent.
        var position: CodePosition?
        job.shell.ask { position = CodePosition(of: job, $0) }
        return position
    }

    private init(of job: JobController, _ state: borrowing JobState) {
        self.job = job
        // Not kept, because the job's next change of it would copy its arrays.
        let machine = state.machine
        isSuspended = machine.isSuspended
        isStarted = machine.isStarted
        isInMain = machine.hasEnteredMain && !machine.isAfterMain
        ending = machine.ending
        endRequestedAt = state.endRequestedAt
        callback = state.callback
        record = state.callbackRecord
        task = record?.task
        if case .callGroupFinished(let number)? = callback?.action {
            group = state.group(number).group
        } else {
            group = nil
        }
        let inCallback = record == nil ? 0 : 1
        let waiting = state.tasks.finishedCount - state.tasks.endedCount - inCallback
        undeliveredCount = state.tasks.isEmpty ? 0 : max(0, waiting)
    }

    /// Text to add to the job's line.
    ///
    /// It is empty for a job that only waits for its tasks.
    func text(at now: CoarseTime) -> String {
        let words = position(at: now)
        guard undeliveredCount > 0 else { return words }
        let waiting = undeliveredCount.counting("finished task")
        let verb = undeliveredCount == 1 ? "waits" : "wait"
        return words + "; \(waiting) \(verb)" + (isSuspended ? " until it is resumed" : "")
    }

    /// The call that the code is executing or waiting for.
    ///
    /// It is empty if the code only waits until a task finishes or the job is resumed.
    private func position(at now: CoarseTime) -> String {
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
