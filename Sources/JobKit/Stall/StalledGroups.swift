import Foundation

/// The limited groups of a job, with the tasks that hold their permits.
///
/// Each group is searched once.
final class StalledGroups {
    private var groups: [Int: TaskStall.GroupLimit] = [:]

    /// How many tasks, usually the first ones, are searched for those that hold a group's permits.
    private static let searchLimit = 1_024

    /// Returns the group limit that holds a task back, if there is one.
    ///
    /// Called with the job's lock held.
    func groupLimit(of record: TaskRecord, _ state: borrowing JobState) -> TaskStall.GroupLimit? {
        guard state.submission.isCounting, record.submission.stage == .deferred else { return nil }
        if let known = groups[record.group] { return known }
        let (limit, count) = state.submission.limit(of: record.group)
        guard limit < .max else { return nil }
        var inside: [Operation] = []
        var searched = 0
        var next = state.tasks.record(after: nil)
        while let other = next, searched < Self.searchLimit,
            inside.count < min(count, OperationNames.limit)
        {
            searched += 1
            if other.group == record.group, other.submission.stage == .enqueued,
                let task = other.task
            {
                inside.append(task)
            }
            next = state.tasks.record(after: other)
        }
        let group = state.groups.groups[record.group]
        let groupLimit = TaskStall.GroupLimit(
            group: group,
            limit: limit,
            count: count,
            inside: inside
        )
        groups[record.group] = groupLimit
        return groupLimit
    }
}
