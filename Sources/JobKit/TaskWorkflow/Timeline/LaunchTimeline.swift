extension TaskWorkflow {
    /// Returns a text that shows the order and durations of the tasks, in whole milliseconds.
    ///
    /// ```text
    /// [Launch start] - [TaskA 201ms] - [TaskC 200ms] - [Waiting 5ms] - [Launch finish]
    ///                                - [TaskE 205ms]
    /// ```
    ///
    /// The first line shows the main thread. `Waiting` is the time that the workflow still waited
    /// for a blocking group with concurrent tasks. Each concurrent task has its own line, below the
    /// first main-queue task of its stage. If a task failed or was cancelled, `failed` or
    /// `cancelled` follows its time. The timeline of an unfinished workflow shows the events so
    /// far.
    ///
    /// A main-thread line of more than 2,000 characters continues on another line, below the
    /// concurrent tasks of its stages.
    public final func generateTimeline() -> String {
        launch.timeline(named: label)
    }
}

/// The times of a workflow's events, which its callers read from the clock, and their text.
struct LaunchTimeline: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Task: Sendable {
        var name: String
        /// The task's number in events.
        var eventID = 0
        /// Nil if the task never ran.
        var began: Instant?
        var ended: Instant?
        /// The description of the task's outcome.
        var outcome: String?
    }

    var tasks: [Task] = []
    /// The time at which each stage opened.
    var openings: [Instant] = []
    /// The time at which the workflow ended.
    var ended: Instant?

    /// The length after which the main thread's line continues on a new one.
    ///
    /// Without this limit, the text of a launch with many stages would be mostly indentation.
    static let width = 2_000

    /// Records the end of a task, unless it is recorded already.
    mutating func taskEnded(_ index: Int, _ outcome: String?, at instant: Instant) {
        guard tasks[index].ended == nil else { return }
        tasks[index].ended = instant
        tasks[index].outcome = outcome
    }

    /// Returns the text of the workflow whose stages `machine` has.
    ///
    /// The first line contains the main thread's tasks, and the concurrent tasks of a stage are
    /// below the first of its main-queue tasks. Unfinished tasks are measured until `now`.
    func text(
        of machine: TaskWorkflowStateMachine,
        named name: String,
        until now: Instant
    ) -> String {
        var lines: [String] = []
        var rows: [String] = []
        var line = "[\(name.oneLine) start]"
        // The column is counted while the line grows, because `count` takes linear time.
        var column = line.count
        func append(_ label: String) {
            line += " - \(label)"
            column += label.count + 3
        }
        for (number, stage) in machine.stages.enumerated() {
            if column > Self.width {
                lines += [line] + rows
                (line, column, rows) = ("", 0, [])
            }
            let concurrent = stage.tasks.filter { machine.tasks[$0].queue == .concurrentQueue }
            let main = stage.tasks.filter { machine.tasks[$0].queue == .mainQueue }
            let indentation = String(repeating: " ", count: column + 1)
            rows += concurrent.map { "\(indentation)- \(label(of: tasks[$0], until: now))" }
            for task in main { append(label(of: tasks[task], until: now)) }
            if stage.isGroup, !concurrent.isEmpty {
                // The wait begins when the last main-queue task ends, or when the stage opens.
                let opening = number < openings.count ? openings[number] : now
                let began = main.last.map { tasks[$0].ended ?? now } ?? opening
                let ended = stage.tasks.map { tasks[$0].ended ?? now }.max() ?? began
                append("[Waiting \(milliseconds(began.duration(to: ended)))]")
            }
        }
        if ended != nil { append("[\(name.oneLine) finish]") }
        return (lines + [line] + rows).joined(separator: "\n")
    }

    private func label(of task: Task, until now: Instant) -> String {
        let end = task.ended ?? now
        let state = task.began == nil ? "not started" : "executing"
        let remark = task.ended == nil ? state : task.outcome
        let parts = [
            task.name.oneLine,
            task.began.map { milliseconds($0.duration(to: end)) },
            remark == "succeeded" ? nil : remark,
        ]
        return "[\(parts.compactMap { $0 }.joined(separator: " "))]"
    }

    private func milliseconds(_ duration: Duration) -> String {
        "\(max(duration, .zero).nanoseconds / 1_000_000)ms"
    }
}
