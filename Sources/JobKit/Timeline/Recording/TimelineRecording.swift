/// What a timeline needs to know of events: a pure value, fed with one after another.
///
/// Events of different operations may come in any order, and those of a job that was observed late
/// may be missing: what is known of an operation is completed as it becomes known.
struct TimelineRecording {
    private struct Record {
        let id: Int
        /// Nil for the root, or while the job is not known.
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
        /// What else it may have waited for.
        var causes = StartCauses()

        /// Whether it belongs on the timeline by itself: it has been started, as far as is known.
        var hasBegun: Bool { start != .unknown || end != .unknown }
    }

    private var records: [Record] = []
    private var indices: [Int: Int] = [:]
    /// The record that was used last: the events of an operation often follow each other.
    private var last = (id: 0, index: 0)
    /// The job of which an event came last.
    private var lastParentID = 0
    private let limit: Int
    /// How many operations came when so many were recorded.
    private var omittedCount = 0

    /// Begins a recording of at most `limit` operations.
    init(limit: Int = .max) {
        self.limit = limit
    }

    /// Notes one event; returns whether the job that it came from is known.
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
            records[index].predecessorIDs = event.predecessorIDs.filter(mayBeRecorded)
            records[index].causes = event.startCauses
            endPredecessors(of: event)
        case .finished where records[index].outcome == nil:
            if records[index].end == .unknown { records[index].end = event.time }
            // It has waited, and not run, since it was first seen.
            if event.hasNeverRun, records[index].start == .unknown {
                records[index].start = records[index].end
            }
            records[index].outcome = event.outcome ?? .succeeded
        default:
            break
        }
        guard let parentID = event.parentID else { return true }
        if records[index].parentID == nil {
            records[index].parentID = parentID
            records[index].group = event.group
        }
        if parentID == lastParentID { return true }
        lastParentID = parentID
        return indices[parentID] != nil || records.count >= limit
    }

    /// What an operation waited for had finished by its start.
    ///
    /// A plain operation's dependents, if they are plain too, may start and even end before its
    /// finish is recorded.
    private mutating func endPredecessors(of event: JobEvent) {
        for id in event.predecessorIDs {
            guard let before = indices[id], records[before].end == .unknown else { continue }
            records[before].end = event.time
        }
    }

    /// Whether a number may be that of a recorded operation: where there is a limit, a long list of
    /// others is not kept.
    private func mayBeRecorded(_ id: Int) -> Bool {
        limit == .max || records.count < limit || indices[id] != nil
    }

    /// Notes a job that an event came from, and whose own events were missed.
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

    /// Makes the timeline of all that has begun.
    ///
    /// - Parameter now: Where what still runs ends.
    /// - Returns: The timeline, from the start of the first on it.
    func timeline(at now: EventTime) -> Timeline {
        let shown = shownIndices()
        let newIndices = Dictionary(
            uniqueKeysWithValues: zip(shown.map { records[$0].id }, 0...)
        )
        let ends = knownEnds()
        let waits = shown.map { waitingRecord(records[$0], newIndices) }
        let origin = waits.map(\.start).min() ?? now
        let entries = zip(shown, zip(waits, TimelineWaits(waits).predecessors))
            .map { index, found in
                let (record, (wait, predecessors)) = (records[index], found)
                let end = wait.end ?? max(wait.start, ends[index] ?? now)
                return Timeline.Entry(
                    name: record.name.text,
                    typeName: record.name.typeName,
                    group: record.group?.description,
                    outcome: record.outcome,
                    parent: wait.parent,
                    start: origin.duration(to: wait.start),
                    end: origin.duration(to: end),
                    predecessors: predecessors
                )
            }
        return Timeline(entries, omittedCount: omittedCount)
    }

    /// What decides which operations one waited for, as indices among those that are shown.
    private func waitingRecord(
        _ record: Record,
        _ newIndices: [Int: Int]
    ) -> TimelineWaits.Record {
        let start = record.start == .unknown ? record.firstSeen : record.start
        let causeIDs = record.predecessorIDs + [record.causes.groupCauseID]
        return TimelineWaits.Record(
            tracked: record.firstSeen,
            start: start,
            end: record.end == .unknown ? nil : max(start, record.end),
            parent: record.parentID.flatMap { newIndices[$0] },
            predecessors: ([record.causeID].compactMap(\.self) + causeIDs)
                .compactMap { newIndices[$0] },
            queueID: record.causes.queueID,
            threadCause: newIndices[record.causes.threadCauseID]
        )
    }

    /// When each operation finished or, of one that its job did not wait for, when the job did:
    /// nothing more is recorded of it then.
    private func knownEnds() -> [EventTime?] {
        var ends = records.map { $0.end == .unknown ? nil : $0.end }
        var isKnown = ends.map { $0 != nil }
        for index in records.indices {
            var chain: [Int] = []
            var next: Int? = index
            while let index = next, !isKnown[index] {
                isKnown[index] = true
                chain.append(index)
                next = records[index].parentID.flatMap { indices[$0] }
            }
            for member in chain { ends[member] = next.flatMap { ends[$0] } }
        }
        return ends
    }

    /// The records of what has begun, and of the jobs above.
    private func shownIndices() -> [Int] {
        var isShown = records.map(\.hasBegun)
        for index in records.indices where isShown[index] {
            var parentID = records[index].parentID
            while let parent = parentID.flatMap({ indices[$0] }), !isShown[parent] {
                isShown[parent] = true
                parentID = records[parent].parentID
            }
        }
        return records.indices.filter { isShown[$0] }
    }
}
