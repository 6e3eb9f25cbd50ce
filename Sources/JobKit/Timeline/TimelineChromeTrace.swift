import Foundation

extension Timeline {
    /// Writes a trace that opens in Perfetto (ui.perfetto.dev) and in `chrome://tracing`.
    ///
    /// Each entry is one complete event, each lane one thread, and the root's name that of the
    /// process. Threads count from 1, for Perfetto keeps thread 0 for itself; the process is 0, for
    /// Perfetto calls a thread of its process's number the main thread. An event's arguments tell
    /// its `outcome`, its `error`, its `job`'s name and whether it is `critical`; its category is
    /// its type.
    ///
    /// - Returns: JSON in the Trace Event Format, UTF-8; times in microseconds, exact to a nanosecond.
    public func chromeTrace() -> Data {
        let critical = Set(criticalPlaces)
        var events: [String] = []
        events.reserveCapacity(entries.count + laneCount + 1)
        let root = entries.first { $0.parent == nil }
        events.append(metadata("process_name", lane: 0, value: root?.name ?? "JobKit"))
        for lane in 0..<laneCount {
            events.append(metadata("thread_name", lane: lane, value: "Lane \(lane + 1)"))
        }
        for (place, entry) in entries.enumerated() {
            events.append(event(entry, isCritical: critical.contains(place)))
        }
        let list = events.joined(separator: ",\n")
        return Data("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\(list)\n]}\n".utf8)
    }

    private func metadata(_ kind: String, lane: Int, value: String) -> String {
        "{\"ph\":\"M\",\"name\":\"\(kind)\",\"pid\":0,\"tid\":\(lane + 1),"
            + "\"args\":{\"name\":\(value.jsonText)}}"
    }

    private func event(_ entry: Entry, isCritical: Bool) -> String {
        let start = entry.start.nanoseconds
        let length = entry.end.nanoseconds - start
        var arguments = "\"outcome\":\(entry.outcomeWord.jsonText)"
        if case .failed(let error)? = entry.outcome {
            arguments += ",\"error\":\(String(describing: error).jsonText)"
        }
        if let job = entry.parent { arguments += ",\"job\":\(entries[job].name.jsonText)" }
        if isCritical { arguments += ",\"critical\":true" }
        return "{\"ph\":\"X\",\"name\":\(entry.name.jsonText),"
            + "\"cat\":\(String(describing: entry.type).jsonText),"
            + "\"pid\":0,\"tid\":\(entry.lane + 1),"
            + "\"ts\":\(microseconds(start)),\"dur\":\(microseconds(length)),"
            + "\"args\":{\(arguments)}}"
    }

    /// Exact decimal text; a floating-point number would lose nanoseconds after a few days.
    private func microseconds(_ nanoseconds: Int64) -> String {
        "\(nanoseconds / 1_000).\(String(1_000 + nanoseconds % 1_000).dropFirst())"
    }
}

extension Timeline.Entry {
    /// One word for the outcome, or for having none yet.
    var outcomeWord: String { outcome?.word ?? "running" }
}

extension String {
    /// The string as JSON writes it, in quotes.
    fileprivate var jsonText: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}":
                text += "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
