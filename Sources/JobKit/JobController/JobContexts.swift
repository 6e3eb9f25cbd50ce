import Foundation

/// What the code of a job runs inside: its own context, within the one that it has inherited;
/// guarded by the job's lock.
struct JobContexts {
    private var own: OperationContext?
    private var inherited: OperationContext?
    /// What the job's code runs inside.
    private(set) var current: OperationContext?

    /// What a job runs inside now, and what that stands in place of.
    struct Change {
        let context: OperationContext
        let replaced: OperationContext?
    }

    /// The job is given a context of its own.
    mutating func set(_ body: @escaping OperationContext.Body, of job: Operation) -> Change {
        let replaced = current
        let context = OperationContext(body, of: job, inside: inherited)
        (own, current) = (context, context)
        return Change(context: context, replaced: replaced)
    }

    /// A job above hands its context down, which stands in place of the one that it handed down
    /// before.
    ///
    /// - Returns: Nil if another job has handed one down.
    mutating func inherit(
        _ context: OperationContext,
        replacing replaced: OperationContext?
    ) -> Change? {
        guard inherited == nil || inherited === replaced else { return nil }
        let before = current
        inherited = context
        own = own?.moved(inside: context)
        let changed = own ?? context
        current = changed
        return Change(context: changed, replaced: before)
    }
}
