import Foundation

/// A task that a finished job has left, for `explainStall`.
struct LeftTask {
    private weak var task: Operation?

    init(_ task: Operation) { self.task = task }

    /// Whether the task still runs, or was abandoned.
    static func mustBeNamed(_ task: Operation) -> Bool {
        guard !task.isFinished else { return task.wasAbandoned }
        return !task.isCancelled || task.hasStarted
    }

    /// The names of the tasks that still run or were abandoned, or nil if there are none.
    static func names(_ tasks: [LeftTask]) -> String? {
        let left = tasks.compactMap(\.task).filter(mustBeNamed)
        guard !left.isEmpty else { return nil }
        return OperationName.list(left) { task in
            operationLabel(task) + (task.wasAbandoned ? " (abandoned)" : "")
        }
    }
}
