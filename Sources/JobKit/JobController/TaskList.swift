import Foundation

/// The records of the tasks that a job has not delivered, in the order tracked.
struct TaskList {
    private var first: TaskRecord?
    private unowned(unsafe) var last: TaskRecord?

    mutating func append(_ record: TaskRecord) {
        record.preceding = last
        if let last { last.following = record } else { first = record }
        last = record
    }

    mutating func remove(_ record: TaskRecord) {
        let following = record.following
        following?.preceding = record.preceding
        if last === record { last = record.preceding }
        if let preceding = record.preceding {
            preceding.following = following
        } else {
            first = following
        }
        record.following = nil
        record.preceding = nil
    }

    /// Takes the list apart, which a release of its head would do recursively.
    mutating func removeAll() -> [TaskRecord] {
        let records = records
        for record in records {
            record.following = nil
            record.preceding = nil
        }
        first = nil
        last = nil
        return records
    }

    var records: [TaskRecord] {
        Array(
            sequence(state: first) { record in
                defer { record = record?.following }
                return record
            }
        )
    }
}
