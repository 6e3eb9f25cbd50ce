extension TaskWorkflow {
    /// Writes when the tasks ran and how long they took, in whole milliseconds.
    ///
    /// ```text
    /// [Launch start] - [TaskA 201ms] - [TaskC 200ms] - [Waiting 5ms] - [Launch finish]
    ///                                - [TaskE 205ms]
    /// ```
    ///
    /// The first line shows the main thread. `Waiting` is the time that the workflow still waited
    /// for a blocking group with concurrent tasks. Each concurrent task has its own line, below the
    /// first main-queue task of its stage. The time of a task that failed or was cancelled is
    /// followed by `failed` or `cancelled`. The timeline of an unfinished workflow shows what has
    /// happened so far.
    ///
    /// A main-thread line of more than 2,000 characters continues on another line, below the
    /// concurrent tasks of its stages.
    public final func generateTimeline() -> String {
        launch.timeline(named: label).text()
    }
}

/// Writes a workflow's timeline: the main thread's tasks on the first line, and below each stage's
/// first the concurrent ones.
struct LaunchTimeline {
    let name: String
    let plan: LaunchPlan
    let record: LaunchRecord
    /// Until when what has not ended is measured.
    let now: LaunchRecord.Instant

    /// Where the main thread's line is continued in a new one, so that the text of a launch of many
    /// stages does not consist of indentation.
    static let width = 2_000

    func text() -> String {
        var lines: [String] = []
        var rows: [String] = []
        var line = "[\(singleLine(name)) start]"
        // Counted while the line grows, because `count` takes linear time.
        var column = line.count
        func append(_ label: String) {
            line += " - \(label)"
            column += label.count + 3
        }
        for (number, stage) in plan.stages.enumerated() {
            if column > Self.width {
                lines += [line] + rows
                (line, column, rows) = ("", 0, [])
            }
            let concurrent = stage.tasks.filter { plan.tasks[$0].queue == .concurrentQueue }
            let indentation = String(repeating: " ", count: column + 1)
            rows += concurrent.map { "\(indentation)- \(label(ofTask: $0))" }
            for task in stage.tasks where plan.tasks[task].queue == .mainQueue {
                append(label(ofTask: task))
            }
            if stage.isGroup, !concurrent.isEmpty {
                append("[Waiting \(milliseconds(waiting(number)))]")
            }
        }
        if record.ended != nil { append("[\(singleLine(name)) finish]") }
        return (lines + [line] + rows).joined(separator: "\n")
    }

    /// From the last main-queue task's end, or the stage's opening, to the group's end.
    private func waiting(_ number: Int) -> Duration {
        let stage = plan.stages[number]
        guard number < record.openings.count else { return .zero }
        let lastOnMain = stage.tasks.last { plan.tasks[$0].queue == .mainQueue }
        let began = lastOnMain.map { record.tasks[$0].ended ?? now } ?? record.openings[number]
        let ended = stage.tasks.map { record.tasks[$0].ended ?? now }.max() ?? began
        return began.duration(to: ended)
    }

    private func label(ofTask index: Int) -> String {
        let task = record.tasks[index]
        let end = task.ended ?? now
        let parts = [
            singleLine(task.name),
            task.began.map { milliseconds($0.duration(to: end)) },
            remark(about: task),
        ]
        return "[\(parts.compactMap { $0 }.joined(separator: " "))]"
    }

    /// What a task's text adds to its name and time; nothing for one that succeeded.
    private func remark(about task: LaunchRecord.Task) -> String? {
        guard task.ended != nil else { return task.began == nil ? "not started" : "executing" }
        return task.outcome == "succeeded" ? nil : task.outcome
    }

    private func milliseconds(_ duration: Duration) -> String {
        "\(TimelineUnit.milliseconds.whole(max(duration, .zero)))ms"
    }

    private func singleLine(_ name: String) -> String {
        name.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
