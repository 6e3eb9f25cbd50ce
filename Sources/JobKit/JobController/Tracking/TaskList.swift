/// The records of the tasks that a job has not delivered, in the order tracked.
///
/// The records are linked to each other, and each is retained by the list: the one that leaves is,
/// as a rule, the first, and its neighbour is the next to be used. A record retains its job's
/// shell, so that a list with records in it is never lost.
struct TaskList {
    private var first: Unmanaged<TaskRecord>?
    private var last: Unmanaged<TaskRecord>?

    /// A record's links to its neighbours, which change them too.
    struct Links {
        fileprivate var previous: Unmanaged<TaskRecord>?
        fileprivate var next: Unmanaged<TaskRecord>?
        fileprivate var isTaken = false
    }

    mutating func append(_ record: TaskRecord) {
        let node = Unmanaged.passRetained(record)
        record.links = Links(previous: last, isTaken: true)
        if let last {
            last._withUnsafeGuaranteedRef { $0.links.next = node }
        } else {
            first = node
        }
        last = node
    }

    /// Removes a record, which the caller retains, in constant time.
    mutating func remove(_ record: TaskRecord) {
        let links = record.links
        guard links.isTaken else { return }
        record.links = Links()
        if let previous = links.previous {
            previous._withUnsafeGuaranteedRef { $0.links.next = links.next }
        } else {
            first = links.next
        }
        if let next = links.next {
            next._withUnsafeGuaranteedRef { $0.links.previous = links.previous }
        } else {
            last = links.previous
        }
        Unmanaged.passUnretained(record).release()
    }

    mutating func removeAll(but kept: TaskRecord? = nil) -> [TaskRecord] {
        let records = records.filter { $0 !== kept }
        for record in records { remove(record) }
        return records
    }

    var isEmpty: Bool { first == nil }

    /// Whether a record stands in its job's list.
    static func holds(_ record: TaskRecord) -> Bool { record.links.isTaken }

    /// The record behind another in the list, or the first; nil at the end.
    func record(after record: TaskRecord?) -> TaskRecord? {
        (record.map { $0.links.next } ?? first)?.takeUnretainedValue()
    }

    /// All records, in the order tracked.
    var records: [TaskRecord] {
        var records: [TaskRecord] = []
        var node = first
        while let record = node?.takeUnretainedValue() {
            records.append(record)
            node = record.links.next
        }
        return records
    }
}
