import Foundation

extension Timeline {
    /// Writes a trace that opens in Perfetto (ui.perfetto.dev) and in `chrome://tracing`.
    ///
    /// Each entry is one complete event, and each lane is one thread. The process has the root's
    /// name. The threads are numbered from 1, because Perfetto reserves thread 0. The process has
    /// the number 0, because Perfetto takes a thread with the same number as its process for the
    /// main thread. An event's arguments are its `outcome`, `error`, `type` and `job`, whether it
    /// is `critical` and, for a job, the time that it continued after its last task. Its category
    /// is its group, which has a colour in `chrome://tracing`. `otherData` has the sums of the
    /// ``groups``.
    ///
    /// - Returns: JSON in the Trace Event Format, as UTF-8. Times are in microseconds, exact to a
    ///   nanosecond.
    public func chromeTrace() -> Data {
        Data(TimelineFacts(of: self).chromeTrace().utf8)
    }
}

extension TimelineFacts {
    fileprivate func chromeTrace() -> String {
        let critical = Set(path)
        let colours = Dictionary(
            uniqueKeysWithValues: zip(groups.map(\.name), Self.colours)
        )
        var events: [String] = []
        events.append(metadata("process_name", lane: 0, value: root?.name ?? "JobKit"))
        for lane in 0..<laneCount {
            events.append(metadata("thread_name", lane: lane, value: "Lane \(lane + 1)"))
        }
        for (index, entry) in entries.enumerated() {
            let isCritical = critical.contains(index)
            events.append(event(index, colours[entry.groupName], isCritical: isCritical))
        }
        let list = events.joined(separator: ",\n")
        var data = groups.map { "\("group \($0.name)".jsonText):\($0.facts.jsonText)" }
        if omittedCount > 0 { data.append("\"not recorded\":\(omittedCount)") }
        return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\(data.joined(separator: ","))},"
            + "\"traceEvents\":[\n\(list)\n]}\n"
    }

    /// Colour names of `chrome://tracing`, for the groups with the longest total times.
    private static let colours = [
        "thread_state_running", "rail_response", "thread_state_iowait", "rail_animation",
        "light_memory_dump", "thread_state_runnable",
    ]

    private func metadata(_ kind: String, lane: Int, value: String) -> String {
        "{\"ph\":\"M\",\"name\":\"\(kind)\",\"pid\":0,\"tid\":\(lane + 1),"
            + "\"args\":{\"name\":\(value.jsonText)}}"
    }

    private func event(_ index: Int, _ colour: String?, isCritical: Bool) -> String {
        let entry = entries[index]
        let start = TimelineUnit.microseconds.text(entry.start, decimals: 3)
        let length = TimelineUnit.microseconds.text(entry.end - entry.start, decimals: 3)
        var arguments = "\"outcome\":\(entry.outcomeWord.jsonText)"
        if let error = entry.errorText { arguments += ",\"error\":\(error.jsonText)" }
        arguments += ",\"type\":\(entry.typeName.jsonText)"
        if let job = entry.parent { arguments += ",\"job\":\(entries[job].name.jsonText)" }
        if isCritical { arguments += ",\"critical\":true" }
        if let ownTime = ownTimes[index] {
            arguments += ",\"afterLastTask\":\(ownTime.shortText.jsonText)"
        }
        return "{\"ph\":\"X\",\"name\":\(entry.name.jsonText),"
            + "\"cat\":\(entry.groupName.jsonText),"
            + (colour.map { "\"cname\":\"\($0)\"," } ?? "")
            + "\"pid\":0,\"tid\":\(entry.lane + 1),"
            + "\"ts\":\(start),\"dur\":\(length),"
            + "\"args\":{\(arguments)}}"
    }
}

extension Timeline.Entry {
    /// The outcome as one word, or `running` if there is none yet.
    var outcomeWord: String { outcome?.description ?? "running" }

    /// The description of the entry's error.
    ///
    /// Nil unless the entry has failed.
    var errorText: String? {
        if case .failed(let error)? = outcome { String(describing: error) } else { nil }
    }
}
