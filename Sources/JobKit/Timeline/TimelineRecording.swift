import Foundation

/// What a timeline needs to know of events: a pure value, fed with one after another.
///
/// Events of different operations may come in any order, and those of a job that was observed late may
/// be missing: what is known of an operation is completed as it becomes known.
struct TimelineRecording {
    /// What an event tells of its operation besides what happened.
    struct Subject {
        let id: Int
        /// Nil for the root, or while the job is not known.
        let parentID: Int?
        let name: String
        let type: Operation.Type
    }

    private struct Record {
        var subject: Subject
        let firstSeen: ContinuousClock.Instant
        var start: ContinuousClock.Instant?
        var end: ContinuousClock.Instant?
        var outcome: OperationOutcome?
        var predecessorIDs: [Int] = []

        /// Whether it belongs on the timeline by itself: it has been started, as far as can be told.
        var hasBegun: Bool { start != nil || end != nil }
    }

    private var records: [Record] = []
    private var places: [Int: Int] = [:]

    /// Notes one event.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - subject: To which operation.
    ///   - instant: When.
    ///   - outcome: How it ended, of ``JobEvent/Kind/finished``.
    ///   - predecessorIDs: Operations that had to finish before it could start.
    mutating func eventRecorded(
        _ kind: JobEvent.Kind,
        of subject: Subject,
        at instant: ContinuousClock.Instant,
        outcome: OperationOutcome? = nil,
        predecessorIDs: [Int] = []
    ) {
        let place = place(of: subject, at: instant)
        if records[place].subject.parentID == nil { records[place].subject = subject }
        records[place].predecessorIDs += predecessorIDs
        switch kind {
        case .tracked, .delivered:
            break
        case .started:
            if records[place].start == nil { records[place].start = instant }
        case .finished:
            guard records[place].end == nil else { break }
            records[place].end = instant
            records[place].outcome = outcome ?? .succeeded
        }
    }

    func knows(_ id: Int) -> Bool { places[id] != nil }

    /// Notes a job that an event came from, and whose own events were missed.
    mutating func jobSeen(_ subject: Subject, at instant: ContinuousClock.Instant) {
        _ = place(of: subject, at: instant)
    }

    /// Makes the timeline of all that has begun.
    ///
    /// - Parameter now: Where that ends which still runs.
    /// - Returns: The timeline, from the start of the first on it.
    func timeline(at now: ContinuousClock.Instant) -> Timeline {
        let shown = shownPlaces()
        var newPlaces: [Int: Int] = [:]
        for (newPlace, place) in shown.enumerated() {
            newPlaces[records[place].subject.id] = newPlace
        }
        let starts = shown.map { records[$0].start ?? records[$0].firstSeen }
        let knownEnds = knownEnds()
        let ends = zip(shown, starts).map { max($1, knownEnds[$0] ?? now) }
        let origin = starts.min() ?? now
        return Timeline(
            zip(shown, zip(starts, ends))
                .map { place, times in
                    let record = records[place]
                    return Timeline.Interval(
                        name: record.subject.name,
                        type: record.subject.type,
                        outcome: record.outcome,
                        parent: record.subject.parentID.flatMap { newPlaces[$0] },
                        start: origin.duration(to: times.0),
                        end: origin.duration(to: times.1),
                        predecessors: record.predecessorIDs.compactMap { newPlaces[$0] }
                    )
                }
        )
    }

    /// When each operation finished or, of one that its job did not wait for, when the job did: nothing
    /// more is told of it then.
    private func knownEnds() -> [ContinuousClock.Instant?] {
        var ends = records.map(\.end)
        var isKnown = ends.map { $0 != nil }
        for place in records.indices {
            var chain: [Int] = []
            var next: Int? = place
            while let place = next, !isKnown[place] {
                isKnown[place] = true
                chain.append(place)
                next = records[place].subject.parentID.flatMap { places[$0] }
            }
            for member in chain { ends[member] = next.flatMap { ends[$0] } }
        }
        return ends
    }

    /// The records of what has begun, and of the jobs above.
    private func shownPlaces() -> [Int] {
        var isShown = records.map(\.hasBegun)
        for place in records.indices where isShown[place] {
            var parentID = records[place].subject.parentID
            while let parent = parentID.flatMap({ places[$0] }), !isShown[parent] {
                isShown[parent] = true
                parentID = records[parent].subject.parentID
            }
        }
        return records.indices.filter { isShown[$0] }
    }

    private mutating func place(of subject: Subject, at instant: ContinuousClock.Instant) -> Int {
        if let place = places[subject.id] { return place }
        places[subject.id] = records.count
        records.append(Record(subject: subject, firstSeen: instant))
        return records.count - 1
    }
}
