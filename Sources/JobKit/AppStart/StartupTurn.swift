/// The delegate of one start, which distinguishes a task's first report from a late second one.
///
/// It retains neither the task nor the manager, so a task may hold it strongly or weakly. While it
/// is the task's turn, the chain keeps the manager alive.
final class StartupTurn: AppStartTaskDelegate {
    private let number: Int
    private let taskID: ObjectIdentifier
    /// This reference never changes, but a `weak let` would not compile with the oldest supported
    /// toolchain.
    nonisolated(unsafe) private weak var manager: AppStartTaskManager?

    init(_ number: Int, of taskID: ObjectIdentifier, in manager: AppStartTaskManager) {
        self.number = number
        self.taskID = taskID
        self.manager = manager
    }

    /// Ends the turn, unless it has ended.
    ///
    /// - Parameter task: The reporting task. A task other than the one of this turn reports for
    ///   itself.
    func startupTaskDidComplete(_ task: any AppStartTask) {
        manager?.taskDidEnd(task, turn: turn(of: task))
    }

    /// Ends the turn and the chain, unless the turn has ended.
    ///
    /// - Parameters:
    ///   - task: The reporting task. A task other than the one of this turn reports for itself.
    ///   - error: The reason for the failure.
    func startupTaskDidFail(_ task: any AppStartTask, error: any Error) {
        manager?.taskDidEnd(task, turn: turn(of: task), error: error)
    }

    private func turn(of task: any AppStartTask) -> Int? {
        ObjectIdentifier(task) == taskID ? number : nil
    }
}
