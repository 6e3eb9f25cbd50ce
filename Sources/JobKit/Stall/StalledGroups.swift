import Foundation

/// The limited groups of a job, with the tasks that hold their permits.
///
/// Each group is searched once.
final class StalledGroups {
    private var limits: [Int: TaskStall.GroupLimit] = [:]

    /// Returns the group limit that defers a task, if there is one.
    ///
    /// Called with the job's lock held.
    func limit(of record: TaskRecord, _ state: borrowing JobState) -> TaskStall.GroupLimit? {
        guard record.submission.stage == .deferred else { return nil }
        if let known = limits[record.group] { return known }
        limits[record.group] = state.limit(of: record.group)
        return limits[record.group]
    }
}

extension JobState {
    /// How many tasks, usually the first ones, are searched for those that hold a group's permits.
    private static var searchLimit: Int { 1_024 }

    /// Returns the limit of a group, and the tasks that hold its permits.
    fileprivate func limit(of number: Int) -> TaskStall.GroupLimit? {
        let (limit, count) = submission.limit(of: number)
        guard limit < .max else { return nil }
        var inside: [Operation] = []
        var searched = 0
        var next = record(after: nil)
        while let record = next, searched < Self.searchLimit,
            inside.count < min(count, OperationName.limit)
        {
            searched += 1
            if record.group == number, record.submission.stage == .enqueued,
                let task = record.task
            {
                inside.append(task)
            }
            next = self.record(after: record)
        }
        let group = group(number).group
        return TaskStall.GroupLimit(group: group, limit: limit, count: count, inside: inside)
    }
}
