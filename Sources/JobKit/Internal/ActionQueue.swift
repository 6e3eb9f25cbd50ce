/// Performs actions outside a lock in the order in which they were decided under it.
///
/// After a thread has released the lock, another thread may decide more actions before the first
/// ones are performed. This queue therefore makes only one caller at a time the deliverer. The
/// caller that gets `true` from ``actionsDecided(_:)`` performs the results of ``nextAction()``
/// until that is `nil`. All other callers leave their actions to it, even code that is called by an
/// action. Therefore, no action overtakes another, and none is nested in another.
///
/// Guard it with the same lock as the state that decides the actions.
struct ActionQueue<Action> {
    private var actions = FIFO<Action>()
    private var isDelivering = false

    /// Whether nothing is stored, and nothing is being delivered.
    var isIdle: Bool { !isDelivering && actions.isEmpty }

    /// Stores actions and returns whether the caller must deliver now.
    mutating func actionsDecided(_ decided: some Sequence<Action>) -> Bool {
        for action in decided { actions.append(action) }
        return claim()
    }

    /// Stores an action for the current deliverer, or the next one.
    mutating func add(_ action: Action) { actions.append(action) }

    /// Returns whether actions are stored and the caller must deliver them.
    mutating func claim() -> Bool {
        guard !isDelivering, !actions.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// Takes the oldest action, or ends the delivery and returns nil.
    mutating func nextAction() -> Action? {
        let action = actions.popFirst()
        if action == nil { isDelivering = false }
        return action
    }
}
