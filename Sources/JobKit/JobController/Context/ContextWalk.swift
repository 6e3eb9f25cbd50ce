import Foundation
import Synchronization

/// Hands the context of a job down to its tasks, and through nested jobs to theirs.
///
/// It is handed down when it is set and when a task is tracked, so that a job without one, and a
/// task of such a job, have a flag to read and nothing else to do.
struct ContextWalk {
    /// A job that has another context now.
    private struct Heir {
        let shell: JobShell
        let change: JobContexts.Change
    }

    private var heirs: [Heir] = []

    /// A job was given another context.
    static func contextChanged(_ change: JobContexts.Change, of shell: JobShell) {
        var walk = ContextWalk(heirs: [Heir(shell: shell, change: change)])
        walk.run()
    }

    /// A task is tracked by a job with a context.
    static func taskTracked(_ task: Operation, inside context: OperationContext) {
        var walk = ContextWalk()
        walk.inherit(context, replacing: nil, task)
        walk.run()
    }

    /// Goes down to where another job's context stands in between.
    private mutating func run() {
        while let heir = heirs.popLast() {
            let change = heir.change
            for task in heir.shell.tasks {
                inherit(change.context, replacing: change.replaced, task)
            }
        }
    }

    /// Makes a task run inside a context, unless it has inherited one from another job.
    private mutating func inherit(
        _ context: OperationContext,
        replacing replaced: OperationContext?,
        _ task: Operation
    ) {
        guard let concurrent = task as? ConcurrentOperation else { return }
        concurrent.lifecycle.bitwiseOr(
            OperationLifecycle.inContext.rawValue,
            ordering: .acquiringAndReleasing
        )
        guard let shell = (task as? JobController)?.shell else { return }
        let change = shell.send { $0.contextInherited(context, replacing: replaced) }
        shell.traits.insert(.context)
        if let change { heirs.append(Heir(shell: shell, change: change)) }
    }
}
