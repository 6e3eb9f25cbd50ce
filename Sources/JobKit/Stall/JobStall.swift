import Foundation

/// What keeps the code of a job from going on, and its first unfinished tasks.
struct JobStall {
    /// Where the job's own code is.
    enum Code {
        /// It has nothing to do until a task finishes, or the job is resumed.
        case idle
        case main(since: CoarseTime)
        /// In `main()`, although the job was told to finish: by which call.
        case mainBehindFinish(String, called: CoarseTime, since: CoarseTime)
        /// In a callback, in words.
        case callback(String, since: CoarseTime)
        /// The queue of this name has been asked to run something, and has not come to it.
        case awaitsCallbackQueue(String, isForMain: Bool, since: CoarseTime)
    }

    let code: Code
    let isSuspended: Bool
    /// How many tasks have finished and wait for their callbacks, the one that is in its callback
    /// aside.
    let undeliveredCount: Int
    /// The first unfinished tasks, in the order tracked.
    let tasks: [TaskStall]
    /// How many more unfinished tasks there are.
    let omittedCount: Int

    /// What is to be added to the job's line: nothing for a job that only waits for its tasks.
    func words(at now: CoarseTime) -> String {
        let words =
            switch code {
            case .idle: ""
            case .main(let since): ", in main()" + StallWords.time(since: since, to: now)
            case .mainBehindFinish(let call, let called, let since):
                ", in main()" + StallWords.time(since: since, to: now)
                    + ", which goes on behind \(call)" + StallWords.time(since: called, to: now)
            case .callback(let words, let since):
                ", in \(words)" + StallWords.time(since: since, to: now)
            case .awaitsCallbackQueue(let name, let isForMain, let since):
                ", its \(isForMain ? "main() waits" : "callbacks wait") for \(name)"
                    + StallWords.time(since: since, to: now)
            }
        guard undeliveredCount > 0 else { return words }
        let waiting =
            undeliveredCount == 1
            ? "1 finished task waits" : "\(undeliveredCount) finished tasks wait"
        return words + "; " + waiting + (isSuspended ? " until it is resumed" : "")
    }
}

extension JobShell {
    /// What the job does, and what it waits for.
    func stall(of job: JobController, limit: Int) -> JobStall {
        let view = ask { StallView($0, mailbox) }
        let gates = StallGates()
        let tasks = UnfinishedTasks(of: self, limit: limit) { state, record, task in
            TaskStall(task, record, of: job, gate: gates.gate(of: record, state))
        }
        return JobStall(
            code: view.code(of: job),
            isSuspended: view.isSuspended,
            undeliveredCount: view.undeliveredCount,
            tasks: tasks.entries,
            omittedCount: tasks.omittedCount
        )
    }

    /// A task that a job other than the one asked tracks.
    func stall(of record: TaskRecord) -> TaskStall? {
        ask { state in
            guard let task = record.task, let job = state.owner.known else { return nil }
            return TaskStall(task, record, of: job, gate: nil)
        }
    }
}

/// What is read under the lock of a job.
private struct StallView {
    let isSuspended: Bool
    let undeliveredCount: Int
    private let callback: RunningCallback.Kind?
    private let since: CoarseTime
    private let task: Operation?
    private let group: JobGroup?
    private let isStarted: Bool
    private let isInMain: Bool
    private let ending: JobState.Machine.Ending?
    private let endRequestedAt: CoarseTime

    init(_ state: borrowing JobState, _ mailbox: JobMailbox) {
        isSuspended = state.machine.isSuspended
        callback = state.delivery.callback?.kind
        since = state.delivery.callback?.since ?? CoarseTime(rawValue: 0)
        let running = state.delivery.callback?.record
        task = running?.task
        if case .group(let number)? = callback {
            group = state.groups.groups[number]
        } else {
            group = nil
        }
        isStarted = state.machine.isStarted
        let isAfterMain = state.machine.isAfterMain
        isInMain = state.machine.hasEnteredMain ? !isAfterMain : false
        (ending, endRequestedAt) = (state.machine.ending, state.endRequestedAt)
        let waiting = mailbox.finishedCount - state.tasks.endedCount - (running == nil ? 0 : 1)
        undeliveredCount = state.tasks.isEmpty ? 0 : max(0, waiting)
    }

    func code(of job: JobController) -> JobStall.Code {
        let lifecycle = job.currentLifecycle
        guard lifecycle.contains(.started), !lifecycle.contains(.finished) else { return .idle }
        let start = CoarseTime(rawValue: job.enteredMainAt.load(ordering: .relaxed))
        if isInMain {
            return switch ending {
            case .finishedEarly:
                .mainBehindFinish("finish()", called: endRequestedAt, since: start)
            case .failed:
                .mainBehindFinish("finish(with:)", called: endRequestedAt, since: start)
            case nil, .completed, .cancelled, .overrun: .main(since: start)
            }
        }
        if let queue = job.shell.callbackQueue {
            guard isStarted else {
                return .awaitsCallbackQueue(queue.label, isForMain: true, since: start)
            }
            let asked = job.shell.callbackQueueAsked.load(ordering: .relaxed)
            if asked != 0 {
                let since = CoarseTime(rawValue: asked)
                return .awaitsCallbackQueue(queue.label, isForMain: false, since: since)
            }
        }
        guard let callback else { return .idle }
        return .callback(words(of: callback), since: since)
    }

    private func words(of callback: RunningCallback.Kind) -> String {
        let name = task.map(operationLabel) ?? "a task"
        return switch callback {
        case .task: "a callback of \(name)"
        case .failure: "taskFailed(_:error:) of \(name)"
        case .delayed: "a callback of perform(after:)"
        case .group: "the callback of group \(group.map(\.description) ?? "")"
        case .allTasks: "allTasksFinished()"
        case .cancelled: "jobCancelled()"
        }
    }
}
