/// The delegate of one start: tells a task's first word from a late second one.
///
/// It refers neither to the task nor to the manager, so that a task may hold it as it likes.
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
    /// - Parameter task: The task that speaks; another one than the turn's speaks for itself.
    func startupTaskDidComplete(_ task: any AppStartTask) {
        shell.taskDidComplete(speaker(task))
    }

    /// Ends the turn and the chain, unless the turn has ended.
    ///
    /// - Parameters:
    ///   - task: The task that speaks; another one than the turn's speaks for itself.
    ///   - error: What went wrong.
    func startupTaskDidFail(_ task: any AppStartTask, error: any Error) {
        shell.taskDidFail(speaker(task), error: error)
    }

    private func speaker(_ task: any AppStartTask) -> AppStartShell.Machine.Speaker {
        let id = ObjectIdentifier(task)
        return id == taskID ? .turn(number) : .task(id)
    }
}
