import Foundation
import JobStore
import Synchronization

extension Runner {
    /// The reasons why a queued run has not started, and until when, one per line.
    ///
    /// - Returns: The lines, or nil if it is not queued.
    func waitReason(of record: RunRecord) -> String? {
        let (place, running, limit) = state.withLock { state in
            (state.admission.place(of: record.id), state.admission.running, state.admission.width)
        }
        guard let place else { return nil }
        var lines: [String] = []
        switch place {
        case .planned(let time):
            let left = Self.words(milliseconds: time - now())
            lines.append("Scheduled: it may start in \(left).")
        case .waiting(let ahead, let queued):
            lines.append(
                running.count < limit
                    ? "It starts in a moment."
                    : "The server executes \(Self.counted(limit)) at a time (--jobs), "
                        + "and as many are executing."
            )
            lines.append(
                ahead == 0
                    ? "It starts next of \(Self.counted(queued, "queued "))."
                    : "\(ahead) of \(Self.counted(queued, "queued ")) "
                        + "\(ahead == 1 ? "starts" : "start") before it: those of a higher "
                        + "priority, then those with a lower number."
            )
            if let longest = longestRun(of: running) { lines.append(longest) }
        case .paused(let isKind):
            lines.append(
                isKind
                    ? "The kind \(record.kind) is paused. Its runs start when it is resumed."
                    : "The queue is paused. Runs start when it is resumed."
            )
        case .closed:
            lines.append("The server is stopping. The run starts when the server serves again.")
        }
        if let reason = store.failure {
            lines.append("The database cannot be written, so no run starts: \(reason).")
        }
        return lines.joined(separator: "\n")
    }

    /// The run that has been executing for longest, with its time.
    private func longestRun(of ids: Set<Int64>) -> String? {
        let started = board.records(ids).values
            .compactMap { record in record.startedAt.map { (record.id, $0) } }
        guard let (id, start) = started.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }) else { return nil }
        return
            "Run \(id) has been executing longest: for \(Self.words(milliseconds: now() - start))."
    }

    /// A number of runs as readable text.
    private static func counted(_ count: Int, _ word: String = "") -> String {
        "\(count) \(word)run\(count == 1 ? "" : "s")"
    }

    /// A duration as readable text.
    private static func words(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1_000
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
        if seconds < 172_800 { return "\(seconds / 3_600) h \(seconds / 60 % 60) min" }
        return "\(seconds / 86_400) days"
    }
}
