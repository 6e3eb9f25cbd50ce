@testable import JobKit

/// Lets tests add tasks one by one, and groups of them.
extension TaskWorkflowStateMachine {
    mutating func taskAdded(_ task: Payload, queue: LaunchTaskQueue) -> [Payload] {
        tasksAdded([(task, queue)], asGroup: false).submitted
    }

    mutating func groupAdded(_ group: [(payload: Payload, queue: LaunchTaskQueue)]) -> [Payload] {
        tasksAdded(group, asGroup: true).submitted
    }
}
