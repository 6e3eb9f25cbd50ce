import Foundation

/// The limited groups of a job, with the tasks that hold their permits.
///
/// Each group is searched once.
final class StallGates {
    private var gates: [Int: TaskStall.Gate] = [:]

    /// How many tasks, usually the first ones, are searched for those that hold a group's permits.
    private static let searchLimit = 1_024

    /// Returns the group limit that holds a task back, if there is one.
    ///
    /// Called with the job's lock held.
    func gate(of record: TaskRecord, _ state: borrowing JobState) -> TaskStall.Gate? {
        guard state.admission.isCounting, record.admission.stage == .held else { return nil }
        if let known = gates[record.group] { return known }
        let (width, count) = state.admission.places(of: record.group)
        guard width < .max else { return nil }
        var inside: [Operation] = []
        var searched = 0
        var next = state.tasks.record(after: nil)
        while let other = next, searched < Self.searchLimit,
            inside.count < min(count, OperationNames.limit)
        {
            searched += 1
            if other.group == record.group, other.admission.stage == .admitted,
                let task = other.task
            {
                inside.append(task)
            }
            next = state.tasks.record(after: other)
        }
        let group = state.groups.groups[record.group]
        let gate = TaskStall.Gate(group: group, width: width, count: count, inside: inside)
        gates[record.group] = gate
        return gate
    }
}
