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
        Data(TimelineFacts(of: self).chromeTrace().utf8)
    }
}

extension TimelineFacts {
    fileprivate func chromeTrace() -> String {
        let critical = Set(path)
        var events: [String] = []
        events.append(metadata("process_name", lane: 0, value: root?.name ?? "JobKit"))
        for lane in 0..<laneCount {
            events.append(metadata("thread_name", lane: lane, value: "Lane \(lane + 1)"))
        }
        for index in entries.indices {
            events.append(event(index, isCritical: critical.contains(index)))
        }
        let list = events.joined(separator: ",\n")
        return "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"not recorded\":\(omittedCount)},"
            + "\"traceEvents\":[\n\(list)\n]}\n"
    }

    private func metadata(_ kind: String, lane: Int, value: String) -> String {
        "{\"ph\":\"M\",\"name\":\"\(kind)\",\"pid\":0,\"tid\":\(lane + 1),"
            + "\"args\":{\"name\":\(value.jsonText)}}"
    }

    private func event(_ index: Int, isCritical: Bool) -> String {
        let entry = entries[index]
        let start = TimelineUnit.microseconds.text(entry.start, decimals: 3)
        let length = TimelineUnit.microseconds.text(entry.end - entry.start, decimals: 3)
        var arguments = "\"outcome\":\(entry.outcomeWord.jsonText)"
        if let error = entry.errorText { arguments += ",\"error\":\(error.jsonText)" }
        arguments += ",\"type\":\(entry.typeName.jsonText)"
        if let job = entry.parent { arguments += ",\"job\":\(entries[job].name.jsonText)" }
        if isCritical { arguments += ",\"critical\":true" }
        return "{\"ph\":\"X\",\"name\":\(entry.name.jsonText),"
            + "\"cat\":\(entry.groupName.jsonText),\"pid\":0,\"tid\":\(entry.lane + 1),"
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
