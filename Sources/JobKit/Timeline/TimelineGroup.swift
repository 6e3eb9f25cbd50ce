extension Timeline {
    /// The tasks of one group, from all jobs.
    public struct Group: Equatable, Sendable {
        /// The group's name, or the name of the tasks' type.
        public let name: String

        /// The number of tasks in the group.
        public let taskCount: Int

        /// The sum of the tasks' durations.
        public let duration: Duration
    }

    /// The groups of the tasks, by total time, longest first.
    ///
    /// A job that has tasks, such as a retry, counts only if it was tracked with a named group.
    public var groups: [Group] {
        let jobs = Set(entries.compactMap(\.parent))
        let counted = entries.indices.filter { index in
            entries[index].parent != nil
                && (!jobs.contains(index) || entries[index].givenGroup != nil)
        }
        return Dictionary(grouping: counted.map { entries[$0] }, by: \.groupName)
            .map { name, tasks in
                let duration = tasks.reduce(.zero) { $0 + $1.duration }
                return Group(name: name, taskCount: tasks.count, duration: duration)
            }
            .sorted { left, right in
                (right.duration, left.name) < (left.duration, right.name)
            }
    }
}

extension Timeline.Group {
    /// `12 tasks, 1.20 s`.
    var facts: String { "\(taskCount.counting("task")), \(duration.shortText)" }
}

extension Timeline.Entry {
    /// The group, or the type if the operation was tracked before the recorder was added.
    var groupName: String { group ?? typeName }

    /// The group, unless it is the type's own group.
    var givenGroup: String? { group == typeName ? nil : group }
}
