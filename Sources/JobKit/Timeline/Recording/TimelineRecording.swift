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
        /// The operation in whose callback it was tracked.
        var causeID: Int?
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
        /// Its dependencies, the operation that tracked it, and the one that returned a permit of
        /// its group.
        var causeIDs: [Int] {
            [causeID].compactMap(\.self) + predecessorIDs + [causes.groupCauseID]
        }
    }

    private var records: [Record] = []
    private var indices: [Int: Int] = [:]
    /// The record that was used last, because the events of an operation often follow each other.
    private var last = (id: 0, index: 0)
    /// The job of the latest event.
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
        case .tracked:
            records[index].causeID = records[index].causeID ?? event.causeID
        case .started where records[index].start == .unknown:
            records[index].start = event.time
            records[index].predecessorIDs = event.predecessorIDs
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
        if parentID == lastParentID { return true }
        lastParentID = parentID
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
        let id = event.operationID
        if id == last.id { return last.index }
        if let index = indices[id] {
            last = (id, index)
            return index
        }
        guard records.count < limit else { return nil }
        append(
            Record(
                id: id,
                parentID: event.parentID,
                name: event.operationName,
                group: event.group,
                firstSeen: event.time
            )
        )
        return last.index
    }

    private mutating func append(_ record: Record) {
        last = (record.id, records.count)
        indices[record.id] = records.count
        records.append(record)
    }

    // MARK: The timeline

    /// Creates the timeline of all operations that have begun.
    ///
    /// - Parameter now: The end of the operations that still run.
    /// - Returns: The timeline, which begins with the start of the first operation.
    func timeline(at now: EventTime) -> Timeline {
        let parents = records.map { $0.parentID.flatMap { indices[$0] } }
        let (shown, ends) = shownAndEnds(below: parents)
        let newIndices = Dictionary(uniqueKeysWithValues: zip(shown, 0...))
        let predecessors = TimelineWaits(records, below: parents, indices).predecessors
        let origin = shown.map { records[$0].shownStart }.min() ?? now
        let entries = shown.map { index in
            let record = records[index]
            let end = record.shownEnd ?? max(record.shownStart, ends[index] ?? now)
            return Timeline.Entry(
                name: record.name.text,
                typeName: record.name.typeName,
                group: record.group?.description,
                outcome: record.outcome,
                parent: parents[index].flatMap { newIndices[$0] },
                start: origin.duration(to: record.shownStart),
                end: origin.duration(to: end),
                predecessors: predecessors[index].compactMap { newIndices[$0] }
            )
        }
        return Timeline(entries, omittedCount: omittedCount)
    }

    /// Returns the indices of the operations that have begun and of the jobs above them, and the
    /// time at which each operation finished.
    ///
    /// If its job did not wait for an operation, the job's end counts, because nothing is recorded
    /// of the operation after that.
    private func shownAndEnds(below parents: [Int?]) -> (shown: [Int], ends: [EventTime?]) {
        let depths = Timeline.depths(of: parents)
        let order = records.indices.sorted { depths[$0] < depths[$1] }
        var ends = records.map { $0.end == .unknown ? nil : $0.end }
        for index in order where ends[index] == nil {
            ends[index] = parents[index].flatMap { ends[$0] }
        }
        var isShown = records.map(\.hasBegun)
        for index in order.reversed() where isShown[index] {
            if let parent = parents[index] { isShown[parent] = true }
        }
        return (records.indices.filter { isShown[$0] }, ends)
    }
}
