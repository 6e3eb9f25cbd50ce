/// The records of the tasks that a job has not delivered, in the order tracked.
///
/// The records are linked to each other, and each is retained by the list: the one that leaves is,
/// as a rule, the first, and its neighbour is the next to be used. A record retains its job's
/// shell, so that a list with records in it is never lost.
struct TaskList {
    private var first: Unmanaged<TaskRecord>?
    private var last: Unmanaged<TaskRecord>?

    /// A record's place between its neighbours, which is theirs to change.
    struct Place {
        fileprivate var previous: Unmanaged<TaskRecord>?
        fileprivate var next: Unmanaged<TaskRecord>?
        fileprivate var isTaken = false
    }

    mutating func append(_ record: TaskRecord) {
        let node = Unmanaged.passRetained(record)
        record.place = Place(previous: last, isTaken: true)
        if let last {
            last._withUnsafeGuaranteedRef { $0.place.next = node }
        } else {
            first = node
        }
        last = node
    }

    /// Removes a record, which the caller retains, in constant time.
    mutating func remove(_ record: TaskRecord) {
        let place = record.place
        guard place.isTaken else { return }
        record.place = Place()
        if let previous = place.previous {
            previous._withUnsafeGuaranteedRef { $0.place.next = place.next }
        } else {
            first = place.next
        }
        if let next = place.next {
            next._withUnsafeGuaranteedRef { $0.place.previous = place.previous }
        } else {
            last = place.previous
        }
        Unmanaged.passUnretained(record).release()
    }

    mutating func removeAll() -> [TaskRecord] {
        let records = records
        for record in records { remove(record) }
        return records
    }

    /// All records, in the order tracked.
    var records: [TaskRecord] {
        var records: [TaskRecord] = []
        var node = first
        while let record = node?.takeUnretainedValue() {
            records.append(record)
            node = record.place.next
        }
        return records
    }
}
