import Foundation

/// The context that wraps a job's code: its own context inside the inherited one.
///
/// Guarded by the job's lock.
struct JobContexts {
    private var own: OperationContext?
    private var inherited: OperationContext?
    /// The context in which the job's code runs.
    var current: OperationContext? { own ?? inherited }

    /// A job's new context, and the one that it replaces.
    typealias Change = (context: OperationContext, replaced: OperationContext?)

    /// Sets the job's own context.
    mutating func set(_ body: @escaping OperationContext.Body, of job: Operation) -> Change {
        let replaced = current
        let context = OperationContext(body, of: job, inside: inherited)
        own = context
        return (context, replaced)
    }

    /// Inherits the context of an ancestor, which replaces the one inherited from it before.
    ///
    /// - Returns: Nil if the job has already inherited the context of another job.
    mutating func inherit(_ change: Change) -> Change? {
        guard inherited == nil || inherited === change.replaced else { return nil }
        let before = current
        inherited = change.context
        own = own?.moved(inside: change.context)
        return (own ?? change.context, before)
    }

    /// Clears the contexts, because the job runs no further code.
    ///
    /// - Returns: The previous contexts. The caller must release them with no lock held, because a
    ///   closure may capture the job.
    mutating func jobEnded() -> Self {
        exchange(&self, with: Self())
    }
}
