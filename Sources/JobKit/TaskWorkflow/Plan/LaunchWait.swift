/// What a launch task waits for before it can be put into its queue.
enum LaunchWait: Equatable, Sendable {
    /// The workflow was not started.
    case start
    /// Tasks of the stage before, the first ten by their numbers, or the main-queue task before.
    case tasks([Int], further: Int)
    case gate(String)
}

extension LaunchTask {
    /// Why the task, which stands in no ``TaskQueue``, has not been started; nil without a
    /// workflow.
    var reasonNotToStart: String? {
        guard let position = position.withLock({ $0 }), let index = position.index,
            let shell = position.shell
        else { return nil }
        let (wait, names) = shell.wait(of: index)
        return switch wait {
        case .start: "never queued, because its workflow was not started"
        case .gate(let name): "never queued, because the gate \(name) is closed"
        case .tasks(_, let further):
            "waits for " + names.joined(separator: ", ")
                + (further > 0 ? " and \(further) more" : "")
        case nil: queue == .mainQueue ? "waits for the main thread" : nil
        }
    }
}
