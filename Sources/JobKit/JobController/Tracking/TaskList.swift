/// The records of a job's undelivered tasks, in the order in which they were tracked.
///
/// The list is doubly linked and retains each record. The record that is removed is usually the
/// first, and its neighbor is used next. A record retains its job's shell, so a list with records
/// in it is never lost.
struct TaskList {
    private var first: Unmanaged<TaskRecord>?
    private var last: Unmanaged<TaskRecord>?

    /// A record's links to its neighbors, which change them too.
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

    /// Removes a record, which the caller must retain, in constant time.
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

    /// Whether a record is in its job's list.
    static func holds(_ record: TaskRecord) -> Bool { record.links.isTaken }

    /// The record after another one in the list, or the first one, or nil at the end.
    func record(after record: TaskRecord?) -> TaskRecord? {
        (record.map { $0.links.next } ?? first)?.takeUnretainedValue()
    }

    /// All records, in the order in which their tasks were tracked.
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
