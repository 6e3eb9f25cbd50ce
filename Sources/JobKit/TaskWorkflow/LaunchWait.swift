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
        guard let place = place.withLock({ $0 }), let index = place.index,
            let shell = place.shell
        else { return nil }
        let (wait, names) = shell.state.withLock { state -> (LaunchWait?, [String]) in
            let wait = state.machine.wait(of: index)
            guard case .tasks(let tasks, _) = wait else { return (wait, []) }
            return (wait, tasks.map { state.record.tasks[$0].name })
        }
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
