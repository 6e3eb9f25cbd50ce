/// Collects the facts for a timeline, as a pure value that receives one event after another.
///
/// Events of different operations may come in any order, and events of a job that was observed late
/// may be missing. Therefore, the record of an operation is completed when further facts are
/// received.
struct TimelineRecording {
    struct Record {
        let id: Int
        /// Nil for the root, and while the job is not known.
        var parentID: Int?
        let name: OperationName
        var group: JobGroup?
        let firstSeen: EventTime
        var start = EventTime.unknown
        var end = EventTime.unknown
        var outcome: OperationOutcome?
        /// The operation in whose callback it was tracked, its dependencies, and the one that
        /// returned a permit of its group.
        var predecessorIDs: [Int] = []
        /// The operations that may have held the permit or the thread that it needed.
        var causes = StartCauses()

        /// Whether the operation has started or ended, so the timeline shows it.
        ///
        /// A job is also shown if a task below it has begun.
        var hasBegun: Bool { start != .unknown || end != .unknown }
        var shownStart: EventTime { start == .unknown ? firstSeen : start }
        /// Nil if it has not finished.
        var shownEnd: EventTime? { end == .unknown ? nil : max(shownStart, end) }
    }

    private var records: [Record] = []
    private var indices: [Int: Int] = [:]
    /// The job of the latest event, which is often that of the next one.
    private var lastParentID = 0
    private let limit: Int
    /// The number of operations that came after the limit was reached.
    private var omittedCount = 0

    /// Begins a recording of at most `limit` operations.
    init(limit: Int = .max) {
        self.limit = limit
    }

    /// Records an event.
    ///
    /// Returns false if the event's job has no record yet, so that the caller must call
    /// ``jobMissed(_:_:at:)``.
    mutating func eventRecorded(_ event: JobEvent) -> Bool {
        guard let index = index(of: event) else {
            if event.kind == .tracked || event.kind == .started && event.parentID == nil {
                omittedCount += 1
            }
            return true
        }
        switch event.kind {
        case .tracked where records[index].predecessorIDs.isEmpty && !records[index].hasBegun:
            records[index].predecessorIDs = event.causeID.map { [$0] } ?? []
        case .started where records[index].start == .unknown:
            records[index].start = event.time
            records[index].predecessorIDs += event.predecessorIDs
            records[index].predecessorIDs.append(event.startCauses.groupCauseID)
            records[index].causes = event.startCauses
            endPredecessors(of: event)
        case .finished where records[index].outcome == nil:
            if records[index].end == .unknown { records[index].end = event.time }
            // It never ran, so its entry has no length. Until now, it has only waited.
            if event.hasNeverRun, records[index].start == .unknown {
                records[index].start = records[index].end
            }
            records[index].outcome = event.outcome ?? .succeeded
        default:
            break
        }
        guard let parentID = event.parentID else { return true }
        // A job may track the finished job that has left it. The latter stays the upper one.
        if records[index].parentID == nil, !isAncestor(event.operationID, of: parentID) {
            records[index].parentID = parentID
            records[index].group = event.group
        }
        guard exchange(&lastParentID, with: parentID) != parentID else { return true }
        return indices[parentID] != nil || records.count >= limit
    }

    private func isAncestor(_ id: Int, of other: Int) -> Bool {
        var next: Int? = other
        while let current = next {
            if current == id { return true }
            next = indices[current].flatMap { records[$0].parentID }
        }
        return false
    }

    /// Sets the missing ends of predecessors, which had finished by the start of this operation.
    ///
    /// If the dependents of a plain operation are plain operations, too, they may start and even
    /// end before its completion is recorded.
    private mutating func endPredecessors(of event: JobEvent) {
        for id in event.predecessorIDs {
            guard let before = indices[id], records[before].end == .unknown else { continue }
            records[before].end = event.time
        }
    }

    /// Records a job that has sent an event, if its own events were missed.
    mutating func jobMissed(_ id: Int, _ name: OperationName, at time: EventTime) {
        guard indices[id] == nil, records.count < limit else { return }
        append(Record(id: id, parentID: nil, name: name, firstSeen: time))
    }

    private mutating func index(of event: JobEvent) -> Int? {
        if let index = indices[event.operationID] { return index }
        guard records.count < limit else { return nil }
        return append(
            Record(
                id: event.operationID,
                parentID: event.parentID,
                name: event.operationName,
                group: event.group,
                firstSeen: event.time
            )
        )
    }

    @discardableResult
    private mutating func append(_ record: Record) -> Int {
        indices[record.id] = records.count
        records.append(record)
        return records.count - 1
    }

    // MARK: The timeline

    /// Creates the timeline of all operations that have begun.
    ///
    /// - Parameter now: The end of the operations that still run.
    /// - Returns: The timeline, which begins with the start of the first operation.
    func timeline(at now: EventTime) -> Timeline {
        let parents = records.map { $0.parentID.flatMap { indices[$0] } }
        var isShown = records.map(\.hasBegun)
        for index in records.indices where records[index].hasBegun {
            var next = parents[index]
            while let job = next, !isShown[job] {
                isShown[job] = true
                next = parents[job]
            }
        }
        let shown = records.indices.filter { isShown[$0] }
        let newIndices = Dictionary(uniqueKeysWithValues: zip(shown, 0...))
        let predecessors = TimelineWaits(records, below: parents, indices).predecessors
        let origin = shown.map { records[$0].shownStart }.min() ?? now
        let entries = shown.map { index in
            let record = records[index]
            let end = record.shownEnd ?? max(record.shownStart, now)
            var entry = Timeline.Entry(
                name: record.name.text,
                typeName: record.name.typeName,
                group: record.group?.description,
                parent: parents[index].flatMap { newIndices[$0] },
                startTime: record.shownStart.nanoseconds - origin.nanoseconds,
                endTime: end.nanoseconds - origin.nanoseconds,
                predecessors: predecessors[index].compactMap { newIndices[$0] }
            )
            entry.outcome = record.outcome
            return entry
        }
        return Timeline(entries, omittedCount: omittedCount)
    }
}
