@testable import JobKit

/// Lets tests add tasks one by one, and groups of them.
extension LaunchPlan {
    mutating func taskAdded(to queue: LaunchTaskQueue) -> Int {
        tasksAdded(to: [queue], asGroup: false).lowerBound
    }

    mutating func groupAdded(_ queues: [LaunchTaskQueue]) -> Range<Int> {
        tasksAdded(to: queues, asGroup: true)
    }
}

extension TaskWorkflowStateMachine {
    mutating func taskAdded(_ task: Task, queue: LaunchTaskQueue) -> [Task] {
        tasksAdded([(task, queue)], asGroup: false).submitted
    }

    mutating func groupAdded(_ group: [(task: Task, queue: LaunchTaskQueue)]) -> [Task] {
        tasksAdded(group, asGroup: true).submitted
    }
}
