/// Writes a workflow's timeline: the main thread's tasks on the first line, and below each stage's
/// first the concurrent ones.
struct LaunchTimeline {
    let name: String
    let plan: LaunchPlan
    let record: LaunchRecord
    /// Until when what has not ended is measured.
    let now: LaunchRecord.Instant

    func text() -> String {
        var line = "[\(singleLine(name)) start]"
        var rows: [String] = []
        for (number, stage) in plan.stages.enumerated() {
            let concurrent = stage.tasks.filter { plan.tasks[$0].queue == .concurrentQueue }
            let indentation = String(repeating: " ", count: line.count + 1)
            rows += concurrent.map { "\(indentation)- \(label(ofTask: $0))" }
            for task in stage.tasks where plan.tasks[task].queue == .mainQueue {
                line += " - \(label(ofTask: task))"
            }
            if stage.isGroup, !concurrent.isEmpty {
                line += " - [Waiting \(milliseconds(waiting(number)))]"
            }
        }
        line += record.ended == nil ? "" : " - [\(singleLine(name)) finish]"
        return ([line] + rows).joined(separator: "\n")
    }

    /// From the last main-queue task's end, or the stage's opening, to the group's end.
    private func waiting(_ number: Int) -> Duration {
        let stage = plan.stages[number]
        guard let opening = record.openings[number] else { return .zero }
        let lastOnMain = stage.tasks.last { plan.tasks[$0].queue == .mainQueue }
        let began = lastOnMain.map { record.tasks[$0].ended ?? now } ?? opening
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

    /// What a task's text says besides its name and time; nothing of one that succeeded.
    private func remark(about task: LaunchRecord.Task) -> String? {
        guard task.ended != nil else { return task.began == nil ? "not started" : "executing" }
        return switch task.ending {
        case .succeeded: nil
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    private func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = max(duration, .zero).components
        return "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)ms"
    }

    private func singleLine(_ name: String) -> String {
        name.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
