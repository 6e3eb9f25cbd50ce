@testable import JobKit

/// Lets tests add tasks one by one, and groups of them.
extension TaskWorkflowStateMachine {
    mutating func taskAdded(_ queue: LaunchTaskQueue) -> [Int] {
        tasksAdded([queue], asGroup: false)
    }

    mutating func groupAdded(_ group: [LaunchTaskQueue]) -> [Int] {
        tasksAdded(group, asGroup: true)
    }
}
