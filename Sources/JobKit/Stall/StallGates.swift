import Foundation

/// The groups of a job that have a width, and the tasks that fill it; each group is searched once.
final class StallGates {
    private var gates: [Int: TaskStall.Gate] = [:]

    /// How many tasks are searched for those that fill a group's width, usually the first ones.
    private static let searchLimit = 1_024

    /// What holds a task, if that is the width of its group; called with the job's lock held.
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
