import Foundation
import Synchronization

/// The context of a job reaches its tasks, and through nested jobs theirs.
///
/// It is handed down when it is set and when a task is tracked, so that a job without one, and a
/// task of such a job, have a flag to read and nothing else to do.
extension JobShell {
    /// What the job's code runs inside; nil where neither the job nor one above it has a context.
    var context: OperationContext? {
        guard traits.contains(.context) else { return nil }
        return send { $0.contexts.current }
    }

    /// Sets the job's own context, inside the one that the job has inherited.
    func setContext(_ body: @escaping OperationContext.Body, of job: JobController) {
        OperationContext.isUsed.store(true, ordering: .releasing)
        let change = send { $0.contexts.set(body, of: job) }
        traits.insert(.context)
        Self.passOn([Heir(shell: self, change: change)])
    }

    /// Hands the job's context to a task that is tracked now.
    func passOnContext(to task: Operation) {
        guard let context else { return }
        if let heir = Self.inherit(context, replacing: nil, task) { Self.passOn([heir]) }
    }

    /// A job that has another context now.
    private struct Heir {
        let shell: JobShell
        let change: JobContexts.Change
    }

    /// Hands contexts to everything below jobs, down to where another one stands in between.
    private static func passOn(_ heirs: [Heir]) {
        var remaining = heirs
        while let heir = remaining.popLast() {
            let change = heir.change
            remaining += heir.shell.tasks.compactMap {
                inherit(change.context, replacing: change.replaced, $0)
            }
        }
    }

    /// Makes a task run inside a context, unless it has inherited one from another job.
    ///
    /// - Returns: The task, if it is a job whose own tasks are to be told.
    private static func inherit(
        _ context: OperationContext,
        replacing replaced: OperationContext?,
        _ task: Operation
    ) -> Heir? {
        guard let concurrent = task as? ConcurrentOperation else { return nil }
        concurrent.lifecycle.bitwiseOr(
            OperationLifecycle.inContext.rawValue,
            ordering: .acquiringAndReleasing
        )
        guard let shell = (task as? JobController)?.shell else { return nil }
        let change = shell.send { $0.contexts.inherit(context, replacing: replaced) }
        shell.traits.insert(.context)
        return change.map { Heir(shell: shell, change: $0) }
    }
}
