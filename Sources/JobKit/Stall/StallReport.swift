import Foundation

/// The lines of `explainStall`, made without recursion and at a cost linear in the tasks and their
/// dependencies.
struct StallReport {
    private let now: CoarseTime
    private var queues = StalledQueues()
    /// The shells of the jobs whose tasks have lines.
    private var seen: Set<ObjectIdentifier> = []
    /// Why operations do not go on that have no line of their own.
    private var outside: [ObjectIdentifier: String] = [:]

    /// How many dependencies of dependencies are followed that have no line.
    private static let depthLimit = 3

    init(at now: CoarseTime) {
        self.now = now
    }

    /// The line of a job, then those of its unfinished tasks, at most `limit`, and what was left
    /// out.
    mutating func lines(of root: JobController, limit: Int) -> [String] {
        let stall = root.shell.stall(of: root)
        seen.insert(ObjectIdentifier(root.shell))
        var lines = [firstLine(of: root, stall)]
        var remaining = Array(stall.tasks.reversed())
        while let next = remaining.popLast() {
            guard !next.task.isFinished else { continue }
            guard lines.count <= limit else {
                lines.append("… and \(remaining.count + 1) more")
                break
            }
            let job = next.task as? JobController
            let stall = job.map { $0.shell.stall(of: $0) }
            lines.append(line(of: next, stall))
            guard let job, let stall, seen.insert(ObjectIdentifier(job.shell)).inserted else {
                continue
            }
            remaining += stall.tasks.reversed()
        }
        return lines
    }

    private mutating func firstLine(of root: JobController, _ stall: JobStall) -> String {
        guard !root.isFinished else { return "\(root.label): finished" }
        var line = "\(root.label): "
        if root.currentLifecycle.contains(.started) {
            line += "executing"
        } else {
            line += "not started"
            let queue = root.shell.send { $0.owner.startQueue }
            let reason = reasonNotToStart(TaskStall(root, in: queue))
            if let reason { line += ", \(reason)" }
        }
        if stall.isSuspended { line += ", suspended" }
        if root.isCancelled { line += ", cancelled" }
        return line + stall.words(at: now) + root.note
    }

    /// A line that begins with the task's name; `own` is what keeps a nested job's own code from
    /// going on.
    private mutating func line(of stall: TaskStall, _ own: JobStall?) -> String {
        let task = stall.task
        var line = "\(operationLabel(task)): "
        let isExecuting = task.isExecuting
        line += isExecuting ? executing(task) : reasonNotToStart(stall) ?? "never queued"
        if own?.isSuspended == true { line += ", suspended" }
        if task.isCancelled { line += ", cancelled" + (isExecuting ? " and not stopped yet" : "") }
        return line + (own?.words(at: now) ?? "") + task.note
    }

    /// How long it has been executing, if that is known and a second or longer.
    private func executing(_ task: Operation) -> String {
        let entry = (task as? ConcurrentOperation)?.enteredMainAt.load(ordering: .relaxed) ?? 0
        guard entry != 0 else { return "executing" }
        return "executing" + StallWords.time(since: CoarseTime(rawValue: entry), to: now)
    }

    // MARK: Reasons

    /// Why an operation has not been started; nil if it stands in no queue that is known.
    private mutating func reasonNotToStart(_ stall: TaskStall, depth: Int = 0) -> String? {
        if let reason = stall.reasonToHold { return reason }
        let task = stall.task
        let dependencies = task.dependencies.filter { !$0.isFinished }
        if !dependencies.isEmpty, !task.isCancelled {
            return "waits for " + StallWords.list(dependencies) { name(of: $0, depth: depth) }
        }
        if let queue = TaskQueueShell.queue(of: task) {
            let isReady = !dependencies.isEmpty || task.isReady
            return isReady
                ? queues.reasonNotToStart(task, of: stall.job, in: queue)
                : "not ready: its own isReady says no, in \(queue.name)"
        }
        if let reason = (task as? LaunchTask)?.reasonNotToStart { return reason }
        guard stall.wasQueued, let queue = stall.queue else { return nil }
        if let queue = queue as? TaskQueue { return "ready in \(queue.shell.name)" }
        guard let queue = queue as? OperationQueue else {
            return "in \(type(of: queue)), not started"
        }
        let isReady = !dependencies.isEmpty || task.isReady
        return isReady
            ? queues.reasonNotToStart(task, of: stall.job, in: queue)
            : "not ready: its own isReady says no, in \(queue.name ?? "OperationQueue")"
    }

    /// A dependency's name and, unless it has a line of its own, its reason.
    private mutating func name(of dependency: Operation, depth: Int) -> String {
        let name = operationLabel(dependency)
        let id = ObjectIdentifier(dependency)
        if let known = outside[id] { return name + known }
        guard depth < Self.depthLimit else { return name }
        // Stands here already where dependencies go in a circle.
        outside[id] = ""
        let records = TaskRecord.tracking(dependency)
        guard !records.contains(where: { seen.contains(ObjectIdentifier($0.shell)) }) else {
            return name
        }
        let stall =
            records.lazy.compactMap { $0.shell.stall(of: $0) }.first ?? TaskStall(dependency)
        let reason =
            dependency.isExecuting
            ? executing(dependency) : reasonNotToStart(stall, depth: depth + 1) ?? "not started"
        let words = " (\(reason)\(dependency.isCancelled ? ", cancelled" : ""))"
        outside[id] = words
        return name + words
    }
}
