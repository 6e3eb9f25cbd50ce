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
        launch.timeline(named: label).text()
    }
}

/// Writes a workflow's timeline.
///
/// The first line contains the main thread's tasks, and the concurrent tasks of a stage are below
/// the first of its main-queue tasks.
struct LaunchTimeline<Payload: Sendable> {
    let name: String
    let machine: TaskWorkflowStateMachine<Payload>
    let record: LaunchRecord
    /// The time until which unfinished tasks are measured.
    let now: LaunchRecord.Instant

    /// The length after which the main thread's line continues on a new one.
    ///
    /// Without this limit, the text of a launch with many stages would be mostly indentation.
    static var width: Int { 2_000 }

    func text() -> String {
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
            let indentation = String(repeating: " ", count: column + 1)
            rows += concurrent.map { "\(indentation)- \(label(ofTask: $0))" }
            for task in stage.tasks where machine.tasks[task].queue == .mainQueue {
                append(label(ofTask: task))
            }
            if stage.isGroup, !concurrent.isEmpty {
                append("[Waiting \(milliseconds(waiting(number)))]")
            }
        }
        if record.ended != nil { append("[\(name.oneLine) finish]") }
        return (lines + [line] + rows).joined(separator: "\n")
    }

    /// Returns the time from the last main-queue task's end, or the stage's opening, to the group's
    /// end.
    private func waiting(_ number: Int) -> Duration {
        let stage = machine.stages[number]
        guard number < record.openings.count else { return .zero }
        let lastOnMain = stage.tasks.last { machine.tasks[$0].queue == .mainQueue }
        let began = lastOnMain.map { record.tasks[$0].ended ?? now } ?? record.openings[number]
        let ended = stage.tasks.map { record.tasks[$0].ended ?? now }.max() ?? began
        return began.duration(to: ended)
    }

    private func label(ofTask index: Int) -> String {
        let task = record.tasks[index]
        let end = task.ended ?? now
        let parts = [
            task.name.oneLine,
            task.began.map { milliseconds($0.duration(to: end)) },
            remark(about: task),
        ]
        return "[\(parts.compactMap { $0 }.joined(separator: " "))]"
    }

    /// Returns the text that follows a task's name and time.
    ///
    /// Nil if the task succeeded.
    private func remark(about task: LaunchRecord.Task) -> String? {
        guard task.ended != nil else { return task.began == nil ? "not started" : "executing" }
        return task.outcome == "succeeded" ? nil : task.outcome
    }

    private func milliseconds(_ duration: Duration) -> String {
        "\(max(duration, .zero).nanoseconds / 1_000_000)ms"
    }
}
