/// What a launch task waits for before it can be put into its queue.
enum LaunchWait: Equatable, Sendable {
    /// The workflow was not started.
    case start
    /// Tasks of the stage before, or the main-queue task before.
    case tasks([Int])
    case gate(String)
}

extension LaunchTask {
    /// Why the task, which stands in no ``TaskQueue``, has not been started; nil without a workflow.
    var reasonNotToStart: String? {
        guard let place = place.withLock({ $0 }), let index = place.index,
            let effects = place.effects
        else { return nil }
        let (wait, names) = effects.state.withLock { state in
            (state.machine.wait(of: index), state.record.tasks.map(\.name))
        }
        return switch wait {
        case .start: "never queued, because its workflow was not started"
        case .gate(let name): "never queued, because the gate \(name) is closed"
        case .tasks(let tasks): "waits for " + tasks.map { names[$0] }.joined(separator: ", ")
        case nil: queue == .mainQueue ? "waits for the main thread" : nil
        }
    }
}
