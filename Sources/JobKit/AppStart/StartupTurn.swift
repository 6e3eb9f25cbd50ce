/// The delegate of one start, which distinguishes a task's first report from a late second one.
///
/// It refers neither to the task nor to the manager, so a task may hold it strongly or weakly.
final class StartupTurn: AppStartTaskDelegate {
    private let number: Int
    private let taskID: ObjectIdentifier
    private let shell: AppStartShell

    init(_ turn: AppStartShell.Machine.Turn, shell: AppStartShell) {
        number = turn.number
        taskID = turn.task.id
        self.shell = shell
    }

    /// Ends the turn, unless it has ended.
    ///
    /// - Parameter task: The reporting task. A task other than the one of this turn reports for
    ///   itself.
    func startupTaskDidComplete(_ task: any AppStartTask) {
        shell.taskDidEnd(task, turn: turn(of: task))
    }

    /// Ends the turn and the chain, unless the turn has ended.
    ///
    /// - Parameters:
    ///   - task: The reporting task. A task other than the one of this turn reports for itself.
    ///   - error: The reason for the failure.
    func startupTaskDidFail(_ task: any AppStartTask, error: any Error) {
        shell.taskDidEnd(task, turn: turn(of: task), error: error)
    }

    private func turn(of task: any AppStartTask) -> Int? {
        ObjectIdentifier(task) == taskID ? number : nil
    }
}
