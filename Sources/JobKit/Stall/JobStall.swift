import Foundation

/// What keeps the code of a job from going on, and its unfinished tasks.
struct JobStall {
    /// Where the job's own code is.
    enum Code {
        /// It has nothing to do until a task finishes, or the job is resumed.
        case idle
        case main(since: CoarseTime)
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
    /// The unfinished tasks, in the order tracked.
    let tasks: [TaskStall]

    /// What is to be added to the job's line: nothing for a job that only waits for its tasks.
    func words(at now: CoarseTime) -> String {
        let words =
            switch code {
            case .idle: ""
            case .main(let since): ", in main()" + StallWords.time(since: since, to: now)
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
    func stall(of job: JobController) -> JobStall {
        let view = send { StallView(of: job, $0) }
        // Whether a task has finished, and what it is called, may be a user's code: without the
        // lock.
        let finished = view.tasks.count { !$0.isSettled && $0.stall.task.isFinished }
        return JobStall(
            code: view.code(of: job),
            isSuspended: view.isSuspended,
            undeliveredCount: finished,
            tasks: view.tasks.map(\.stall).filter { !$0.task.isFinished }
        )
    }

    /// A task that a job other than the one asked tracks.
    func stall(of record: TaskRecord) -> TaskStall? {
        send { state in
            guard let task = record.task, let job = state.owner.known else { return nil }
            return TaskStall(task, record, of: job, gate: nil)
        }
    }
}

/// What is read under the lock of a job.
private struct StallView {
    let isSuspended: Bool
    private(set) var tasks: [(stall: TaskStall, isSettled: Bool)] = []
    private let callback: RunningCallback.Kind?
    private let since: CoarseTime
    private let task: Operation?
    private let group: JobGroup?
    private let isStarted: Bool
    private let isInMain: Bool

    init(of job: JobController, _ state: JobState) {
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
        isInMain = state.machine.hasEnteredMain && !state.machine.isAfterMain
        let gates = Self.gates(state)
        for record in state.tasks.records {
            guard let task = record.task else { continue }
            let gate = record.admission.isHeld ? gates[record.group] : nil
            let isSettled = record.isSettled || record === running
            tasks.append((TaskStall(task, record, of: job, gate: gate), isSettled))
        }
    }

    /// The groups that have a width, and who takes their places.
    private static func gates(_ state: JobState) -> [Int: TaskStall.Gate] {
        guard state.admission.isCounting else { return [:] }
        var gates: [Int: TaskStall.Gate] = [:]
        for record in state.tasks.records {
            let width = state.admission.width(of: record.group)
            guard width < .max, let task = record.task else { continue }
            let name = state.groups.groups[record.group]
            var gate = gates[record.group] ?? TaskStall.Gate(group: name, width: width)
            if record.admission.takesPlace { gate.add(task) }
            gates[record.group] = gate
        }
        return gates
    }

    func code(of job: JobController) -> JobStall.Code {
        let lifecycle = job.currentLifecycle
        guard lifecycle.contains(.started), !lifecycle.contains(.finished) else { return .idle }
        let start = CoarseTime(rawValue: job.enteredMainAt.load(ordering: .relaxed))
        if isInMain { return .main(since: start) }
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
