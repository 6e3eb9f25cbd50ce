extension Timeline.Entry: Equatable {
    /// Returns whether all properties of two entries are equal.
    ///
    /// Outcomes are equal if their cases and the descriptions of their errors are equal.
    public static func == (left: Timeline.Entry, right: Timeline.Entry) -> Bool {
        left.name == right.name && left.typeName == right.typeName && left.group == right.group
            && left.outcome?.description == right.outcome?.description
            && left.errorText == right.errorText
            && left.parent == right.parent && left.lane == right.lane
            && left.start == right.start && left.end == right.end
            && left.timeAfterTasks == right.timeAfterTasks
            && left.predecessors == right.predecessors
    }
}
