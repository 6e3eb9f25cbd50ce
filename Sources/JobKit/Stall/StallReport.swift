import Foundation

/// Creates the lines of `explainStall` without recursion.
///
/// The cost is linear in the number of requested lines and their dependencies.
struct StallReport {
    private let now: CoarseTime
    /// Functions that return why the operations of a queue have not started.
    ///
    /// Each queue is read once.
    private var reasons: [ObjectIdentifier: (Operation) -> String?] = [:]
    /// The shells of the jobs whose tasks have lines.
    private var seen: Set<ObjectIdentifier> = []

    init(at now: CoarseTime) {
        self.now = now
    }

    /// How many tasks are read for each line.
    ///
    /// Several are needed, because equal ones share a line.
    private static let tasksPerLine = 4
    /// The maximum number of equal tasks of a job that have separate lines.
    private static let ownLines = 9

    /// The text about a task.
    private struct Remark {
        let task: Operation
        let words: String
        /// The number of its job in the tree.
        let level: Int
        /// Whether the lines of its own tasks follow.
        var hasTasks = false
        /// Tasks with the same text, which have no lines.
        var others: [Operation] = []
    }

    /// The line of an operation that is not a job.
    mutating func line(of operation: Operation, in queue: any OperationScheduling) -> String {
        let stall = TaskStall(operation, in: queue)
        let words = operation.isFinished ? "finished" : words(of: stall)
        return Self.line(Remark(task: operation, words: words, level: 0))
    }

    /// The line of a job, at most `limit` lines of its unfinished tasks, and a line for omitted
    /// tasks.
    mutating func lines(of root: JobController, limit: Int) -> [String] {
        let limit = max(0, limit)
        let taskLimit = min(limit, .max / Self.tasksPerLine) * Self.tasksPerLine
        let tree = UnfinishedTree(of: root, limit: taskLimit)
        seen = tree.jobs
        var lines = [firstLine(of: root)]
        var omittedCount = tree.omittedCount
        let remarks = Self.gathered(tree.nodes.compactMap { remark(about: $0) })
        for remark in remarks.dropFirst(limit) { omittedCount += 1 + remark.others.count }
        lines += remarks.prefix(limit).map(Self.line)
        if omittedCount > 0 { lines.append("… and \(omittedCount) more") }
        return lines
    }

    /// The text about a task, or nil if the task has finished in the meantime.
    private mutating func remark(about node: UnfinishedTree.Node) -> Remark? {
        let task = node.stall.task
        let isUnannounced = node.stall.hasFinishedWithoutNotifying
        guard isUnannounced || !task.isFinished else { return nil }
        let words = isUnannounced ? StallWords.unannounced + task.note : words(of: node.stall)
        let hasTasks = node.tasks.map { !$0.entries.isEmpty || $0.omittedCount > 0 } ?? false
        return Remark(task: task, words: words, level: node.level, hasTasks: hasTasks)
    }

    /// Combines equal texts about many tasks of one job into the first of them.
    private static func gathered(_ remarks: [Remark]) -> [Remark] {
        let single = remarks.indices.filter { !remarks[$0].hasTasks }
        let equal = Dictionary(grouping: single) { "\(remarks[$0].level) \(remarks[$0].words)" }
        var gathered: [Remark?] = remarks
        for indices in equal.values where indices.count > ownLines {
            gathered[indices[0]]?.others = indices.dropFirst().map { remarks[$0].task }
            for index in indices.dropFirst() { gathered[index] = nil }
        }
        return gathered.compactMap(\.self)
    }

    /// A line that begins with the task's name.
    private static func line(_ remark: Remark) -> String {
        let line = "\(operationLabel(remark.task)): \(remark.words)"
        guard !remark.others.isEmpty else { return line }
        return line + "; and \(remark.others.count) more like it: "
            + OperationName.list(remark.others)
    }

    private mutating func firstLine(of root: JobController) -> String {
        guard root.isFinished else {
            let queue = root.shell.ask { $0.startQueue }
            return "\(root.label): \(words(of: TaskStall(root, in: queue), isRoot: true))"
        }
        let left = LeftTask.names(root.shell.ask { $0.leftTasks })
        return "\(root.label): finished" + (left.map { ", leaving \($0)" } ?? "")
    }

    /// The text about an operation that has not finished.
    ///
    /// The root is the job of the report, of which the line gives no times.
    private mutating func words(of stall: TaskStall, isRoot: Bool = false) -> String {
        let task = stall.task
        if task.isFinishing {
            return lasting("finishing", since: task.stopRequestTime) + task.note
        }
        let isExecuting = task.isExecuting
        let reason = isExecuting ? nil : reasonNotToStart(stall)
        var words =
            switch (isExecuting, isRoot) {
            case (true, true): "executing"
            case (true, false): lasting("executing", since: task.mainEntry)
            case (false, true): "not started" + (reason.map { ", \($0)" } ?? "")
            case (false, false): reason ?? "never queued"
            }
        let position = task.asJob.flatMap { CodePosition.of($0) }
        if position?.isSuspended == true { words += ", suspended" }
        words += stopWords(of: task, showsTime: !isRoot)
        if reason != nil, !stall.isDeferred { words += startWords(of: task) }
        return words + (position?.text(at: now) ?? "") + task.note
    }

    /// The way out for a cancelled operation in a queue that does not end it by itself.
    private func startWords(of operation: Operation) -> String {
        let isEnded = operation.containingQueue != nil && operation.endsWithoutUserCode
        return operation.isCancelled && !isEnded ? StallWords.start : ""
    }

    /// Whether and when an operation was asked to stop, and why it has not stopped.
    private func stopWords(of operation: Operation, showsTime: Bool) -> String {
        guard operation.isCancelled else { return "" }
        var words = ", cancelled"
        if let limit = operation.timeoutThatPassed {
            words = ", timed out after \(StallWords.limit(limit))"
        } else if showsTime, let request = operation.stopRequestTime {
            words += StallWords.ago(request, now)
        }
        if operation.ignoresStop { words += ", didCancel() does nothing" }
        if operation.isPlain, operation.isExecuting { words += StallWords.plainStop }
        return words
    }

    /// `executing for 3 s` and its like, without a time that is unknown or less than a second.
    private func lasting(_ word: String, since start: CoarseTime?) -> String {
        word + (start.map { StallWords.time(since: $0, to: now) } ?? "")
    }

    // MARK: Reasons

    /// Why an operation has not been started, or nil if it is in no known queue.
    ///
    /// The reason for a dependency only names the operations that the dependency waits for.
    private mutating func reasonNotToStart(
        _ stall: TaskStall,
        isDependency: Bool = false
    ) -> String? {
        if let reason = stall.reasonToHold { return reason }
        let task = stall.task
        let dependencies = task.dependencies.filter { !$0.isFinished }
        if !dependencies.isEmpty, !task.isCancelled {
            return "waits for "
                + OperationName.list(dependencies) { dependency in
                    isDependency ? operationLabel(dependency) : name(of: dependency)
                }
        }
        if let queue = task.containingQueue {
            return queueReason(task, of: queue) { [now] in queue.reasonsNotStarted(at: now) }
        }
        if let reason = task.ownReasonNotStarted { return reason }
        guard stall.wasQueued, let queue = stall.queue?.startingQueue else { return nil }
        let reason = queueReason(task, of: queue) {
            if let queue = queue as? OperationQueue { return QueueStall(queue).reason }
            return { queue.reasonNotStarted($0) }
        }
        return reason ?? "in \(type(of: queue)), not started"
    }

    /// The reason that a queue returns for an operation.
    private mutating func queueReason(
        _ operation: Operation,
        of queue: AnyObject,
        _ read: () -> (Operation) -> String?
    ) -> String? {
        let reason = reasons[ObjectIdentifier(queue)] ?? read()
        reasons[ObjectIdentifier(queue)] = reason
        return reason(operation)
    }

    /// A dependency's name and, if it has no line, its reason in parentheses.
    private mutating func name(of dependency: Operation) -> String {
        let name = operationLabel(dependency)
        let jobs = JobShell.tracking(dependency)
        guard !jobs.contains(where: { seen.contains(ObjectIdentifier($0)) }) else { return name }
        let reason =
            dependency.isExecuting
            ? lasting("executing", since: dependency.mainEntry)
            : reasonNotToStart(TaskStall(dependency), isDependency: true) ?? "not started"
        return name + " (\(reason)\(dependency.isCancelled ? ", cancelled" : ""))"
    }
}
