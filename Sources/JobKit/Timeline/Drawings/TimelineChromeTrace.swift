import Foundation

extension Timeline {
    /// Writes a trace that opens in Perfetto (ui.perfetto.dev) and in `chrome://tracing`.
    ///
    /// Each entry is one complete event, and each lane is one thread. The process has the root's
    /// name. The threads are numbered from 1, because Perfetto reserves thread 0. The process has
    /// the number 0, because Perfetto takes a thread with the same number as its process for the
    /// main thread. An event's arguments are its `outcome`, `error`, `type` and `job`, and whether
    /// it is `critical`. Its category is its group.
    ///
    /// - Returns: JSON in the Trace Event Format, as UTF-8. Times are in microseconds, exact to a
    ///   nanosecond.
    public func chromeTrace() -> Data {
        let encoder = JSONEncoder()
        // Perfetto shows other escapes than those of control characters as they are.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding text and finite numbers does not fail.
        return (try? encoder.encode(ChromeTrace(of: TimelineFacts(of: self)))) ?? Data()
    }
}

/// A trace in the Trace Event Format.
private struct ChromeTrace: Encodable {
    struct Event: Encodable {
        let name: String
        var cat: String?
        let ph: String
        var pid = 0
        let tid: Int
        var ts: Double?
        var dur: Double?
        let args: [String: String]
    }

    var displayTimeUnit = "ms"
    let otherData: [String: Int]
    let traceEvents: [Event]

    init(of facts: TimelineFacts) {
        otherData = ["not recorded": facts.omittedCount]
        let lanes = 0..<facts.laneCount
        traceEvents =
            [Self.label("process_name", lane: 0, facts.root?.name ?? "JobKit")]
            + lanes.map { Self.label("thread_name", lane: $0, "Lane \($0 + 1)") }
            + Self.slices(facts)
    }

    private static func label(_ kind: String, lane: Int, _ name: String) -> Event {
        Event(name: kind, ph: "M", tid: lane + 1, args: ["name": name])
    }

    private static func slices(_ facts: TimelineFacts) -> [Event] {
        let critical = Set(facts.path)
        return facts.entries.enumerated()
            .map { index, entry in
                let arguments = [
                    "outcome": entry.outcomeWord, "error": entry.errorText, "type": entry.typeName,
                    "job": entry.parent.map { facts.entries[$0].name },
                    "critical": critical.contains(index) ? "true" : nil,
                ]
                return Event(
                    name: entry.name,
                    cat: entry.groupName,
                    ph: "X",
                    tid: entry.lane + 1,
                    ts: Double(entry.startTime) / 1_000,
                    dur: Double(entry.endTime - entry.startTime) / 1_000,
                    args: arguments.compactMapValues(\.self)
                )
            }
    }
}
