/// Keeps actions that were decided under a lock in their order until they are done without it.
///
/// Between the unlocking and the doing another thread may decide more. The outbox makes one caller
/// at a time the deliverer: the caller that gets `true` from ``actionsDecided(_:)`` does what
/// ``nextAction()`` returns until that is `nil`. Everybody else leaves their actions to it, also
/// the code that an action calls back into; so nothing overtakes and nothing nests.
///
/// Guard it with the same lock as what decides.
struct Outbox<Action> {
    private var actions = FIFO<Action>()
    private var isDelivering = false

    /// Whether nothing is stored, and nothing is being delivered.
    var isIdle: Bool { !isDelivering && actions.isEmpty }

    /// Stores actions, and says whether the caller must deliver now.
    mutating func actionsDecided(_ decided: some Sequence<Action>) -> Bool {
        for action in decided { actions.append(action) }
        return claim()
    }

    /// Stores an action for the present deliverer, or the next.
    mutating func add(_ action: Action) { actions.append(action) }

    /// Returns whether something is stored and the caller must deliver it.
    @inline(__always)
    mutating func claim() -> Bool {
        guard !isDelivering, !actions.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// Takes the oldest action; `nil` ends the delivery.
    mutating func nextAction() -> Action? {
        let action = actions.popFirst()
        if action == nil { isDelivering = false }
        return action
    }
}
