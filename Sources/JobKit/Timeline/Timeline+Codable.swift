extension Timeline {
    /// Decodes a timeline.
    ///
    /// - Throws: `DecodingError` if an entry refers to a job or a predecessor that does not exist.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entries = try container.decode([Entry].self, forKey: .entries)
        omittedCount = try container.decode(Int.self, forKey: .omittedCount)
        guard isWhole else {
            throw DecodingError.dataCorruptedError(
                forKey: .entries,
                in: container,
                debugDescription: "The entries of the timeline do not belong together."
            )
        }
        Self.addTimesAfterTasks(to: &entries)
    }

    /// Whether the timeline can be drawn from the entries.
    ///
    /// All references must be valid, every job must come before its tasks, and no entry may end
    /// before it starts.
    private var isWhole: Bool {
        entries.enumerated()
            .allSatisfy { index, entry in
                entry.parent.map { (0..<index).contains($0) } ?? true
                    && (0...entries.count).contains(entry.lane)
                    && .zero <= entry.start && entry.start <= entry.end
                    && entry.predecessors.allSatisfy(entries.indices.contains)
            }
    }
}

extension Timeline.Entry: Codable {
    private enum Key: String, CodingKey {
        case name, typeName, group, outcome, error, parent, lane, start, end, predecessors
    }

    /// Decodes an entry, with times in whole nanoseconds.
    ///
    /// The error of a failed entry is a ``Timeline/RecordedError``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        name = try container.decode(String.self, forKey: .name)
        typeName = try container.decode(String.self, forKey: .typeName)
        group = try container.decodeIfPresent(String.self, forKey: .group)
        parent = try container.decodeIfPresent(Int.self, forKey: .parent)
        lane = try container.decode(Int.self, forKey: .lane)
        start = .nanoseconds(try container.decode(Int64.self, forKey: .start))
        end = .nanoseconds(try container.decode(Int64.self, forKey: .end))
        predecessors = try container.decode([Int].self, forKey: .predecessors)
        let error = try container.decodeIfPresent(String.self, forKey: .error) ?? ""
        let failed = OperationOutcome.failed(Timeline.RecordedError(description: error))
        let word = try container.decodeIfPresent(String.self, forKey: .outcome)
        outcome = [.succeeded, .cancelled, failed].first { $0.description == word }
        guard word == nil || outcome != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .outcome,
                in: container,
                debugDescription: "\(word ?? "") is no outcome."
            )
        }
    }

    /// Encodes the entry.
    ///
    /// An error is reduced to its description.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(typeName, forKey: .typeName)
        try container.encodeIfPresent(group, forKey: .group)
        try container.encodeIfPresent(outcome?.description, forKey: .outcome)
        try container.encodeIfPresent(errorText, forKey: .error)
        try container.encodeIfPresent(parent, forKey: .parent)
        try container.encode(lane, forKey: .lane)
        try container.encode(start.nanoseconds, forKey: .start)
        try container.encode(end.nanoseconds, forKey: .end)
        try container.encode(predecessors, forKey: .predecessors)
    }
}

extension Timeline {
    /// The error of a failed task in a decoded timeline.
    public struct RecordedError: Error, CustomStringConvertible {
        /// The description of the original error.
        public let description: String
    }
}
