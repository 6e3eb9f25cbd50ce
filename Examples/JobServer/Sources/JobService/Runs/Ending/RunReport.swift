import Foundation
import JobKit
import JobObservability
import JobStore

/// The data that is saved when a run ends: its progress, reason and result.
///
/// Creating it takes long for a job with many tasks.
struct RunReport: Sendable {
    /// The largest result, in bytes.
    static let resultLimit = 8 * 1_024 * 1_024

    let run: LiveRun
    let limits: Runner.Limits
    /// Whether the run has timed out.
    let isOverdue: Bool

    /// The end of a run after its job has ended.
    ///
    /// It has a timeline if the run failed or took longer than a second.
    func ended(as state: RunState) -> RunEnd {
        var end = end(state)
        if isOverdue {
            end.error = overdueSentence
        } else if let error = run.job.error {
            end.error = LogText.oneLine(ErrorText.sentence(error))
        }
        addResult(to: &end)
        let lasted = end.finishedAt - (run.detail.record.startedAt ?? end.finishedAt)
        if end.state == .failed || lasted > 1_000 { end.timeline = timeline }
        return end
    }

    /// The end of an abandoned run.
    ///
    /// Its job is still running, but no longer observed.
    func givenUp(as state: RunState) -> RunEnd {
        var end = end(state)
        let reason = isOverdue ? overdueSentence + " " : ""
        let limit = Self.text(limits.giveUp)
        let names = Self.names(in: run.job.snapshot(limit: 50))
        end.error = LogText.oneLine(
            "\(reason)Abandoned: these tasks did not stop within \(limit): \(names)."
        )
        end.timeline = timeline
        return end
    }

    /// The progress of the run, for any end.
    private func end(_ state: RunState) -> RunEnd {
        let record = run.sample()
        return RunEnd(
            state: state,
            finishedAt: run.now,
            // A job always counts its tasks, but computes its progress only while it is observed.
            progress: state == .succeeded
                ? 1
                : max(
                    record.progress,
                    Double(record.tasksFinished) / Double(max(1, record.tasksTracked))
                ),
            tasksTracked: record.tasksTracked,
            tasksFinished: record.tasksFinished,
            tasksFailed: record.tasksFailed,
            failures: record.failures,
            cancelRequestedAt: record.cancelRequestedAt
        )
    }

    /// Adds the result.
    ///
    /// If it cannot be stored, the run fails.
    private func addResult(to end: inout RunEnd) {
        do {
            guard let result = try run.prepared.result() else { return }
            let text = try ErrorText.json(result)
            guard text.utf8.count <= Self.resultLimit else {
                throw ResultTooLarge(size: text.utf8.count)
            }
            end.result = text
        } catch {
            let sentence = LogText.oneLine(
                "The result cannot be kept: \(ErrorText.sentence(error))"
            )
            end.error = end.error ?? sentence
            if end.state == .succeeded { end.state = .failed }
        }
    }

    private var timeline: [UInt8]? {
        (try? JSONEncoder().encode(run.recorder.timeline)).map { [UInt8]($0) }
    }

    private var overdueSentence: String {
        guard let (limit, name) = limits.time(of: run.kind) else {
            return "The time limit is over."
        }
        return "The time limit of \(Self.text(limit)) (\(name)) is over."
    }

    /// The names of the first tasks that are still executing.
    private static func names(in snapshot: JobSnapshot) -> String {
        func leaves(_ task: JobSnapshot) -> [JobSnapshot] {
            task.unfinished.isEmpty ? [task] : task.unfinished.flatMap(leaves)
        }
        let all = leaves(snapshot)
        // Waiting tasks have nothing to stop.
        let executing = all.filter { $0.state == .executing }
        let names = (executing.isEmpty ? all : executing).map(\.name)
        let more = names.count - 5
        return names.prefix(5).map { String($0.prefix(80)) }.joined(separator: ", ")
            + (more > 0 ? " and others" : "")
    }

    private static func text(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}

/// A result that exceeds the limit of the server.
struct ResultTooLarge: Error, CustomStringConvertible {
    let size: Int

    var description: String {
        "it has \(size) bytes, and at most \(RunReport.resultLimit) are kept."
    }
}
