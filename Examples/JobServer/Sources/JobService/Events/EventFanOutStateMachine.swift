/// Decides what each listener is told: which runs have changed since it was told last.
///
/// A listener that does not listen costs the set of these runs, whatever happens to them.
struct EventFanOutStateMachine: Sendable {
    typealias ListenerID = Int

    /// What a listener is told next.
    struct Batch: Equatable, Sendable {
        /// The runs that have changed, in order of their numbers.
        var runIDs: [Int64] = []
        /// The runs that were deleted, in order of their numbers.
        var deletedIDs: [Int64] = []
        /// Whether the server begins to stop.
        var saysBye = false
        /// Whether it has been silent for long.
        var isComment = false
        /// Whether nothing comes after it.
        var isLast = false
    }

    private struct Listener {
        var changed: Set<Int64> = []
        var deleted: Set<Int64> = []
        var owesBye: Bool
        var owesComment = false
    }

    let limit: Int
    private var listeners: [ListenerID: Listener] = [:]
    private var made = 0
    private var isStopping = false
    private var isClosed = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether nobody listens.
    var isEmpty: Bool { listeners.isEmpty }
    /// How many listen.
    var count: Int { listeners.count }

    /// Somebody wants to listen; nil if there are too many, or nothing will come.
    mutating func listenerCame() -> ListenerID? {
        guard listeners.count < limit, !isClosed else { return nil }
        made += 1
        listeners[made] = Listener(owesBye: isStopping)
        return made
    }

    /// A listener has gone.
    mutating func listenerLeft(_ id: ListenerID) {
        listeners[id] = nil
    }

    /// A run has changed; listeners hear of it at the next tick.
    mutating func runChanged(_ runID: Int64) {
        for id in listeners.keys { listeners[id]?.changed.insert(runID) }
    }

    /// A run has ended, and is written down.
    ///
    /// - Returns: Who is to be woken, at once.
    mutating func runEnded(_ runID: Int64) -> [ListenerID] {
        runChanged(runID)
        return Array(listeners.keys)
    }

    /// A run was deleted.
    ///
    /// - Returns: Who is to be woken, at once.
    mutating func runDeleted(_ runID: Int64) -> [ListenerID] {
        for id in listeners.keys {
            listeners[id]?.changed.remove(runID)
            listeners[id]?.deleted.insert(runID)
        }
        return Array(listeners.keys)
    }

    /// Time has passed.
    ///
    /// - Returns: Who is to be woken.
    mutating func ticked() -> [ListenerID] {
        listeners.filter { !$0.value.changed.isEmpty }.map(\.key)
    }

    /// A listener shall see that the connection lives.
    mutating func commentDue(for id: ListenerID) -> [ListenerID] {
        guard listeners[id] != nil else { return [] }
        listeners[id]?.owesComment = true
        return [id]
    }

    /// The server begins to stop.
    mutating func stopBegan() -> [ListenerID] {
        guard !isStopping else { return [] }
        isStopping = true
        for id in listeners.keys { listeners[id]?.owesBye = true }
        return Array(listeners.keys)
    }

    /// The last end was told: streams close when they have written it.
    mutating func closed() -> [ListenerID] {
        isClosed = true
        return Array(listeners.keys)
    }

    /// A listener has written what it was given, and asks for what came since.
    mutating func taken(by id: ListenerID) -> Batch {
        guard var listener = listeners[id] else { return Batch(isLast: true) }
        let batch = Batch(
            runIDs: listener.changed.sorted(),
            deletedIDs: listener.deleted.sorted(),
            saysBye: listener.owesBye,
            isComment: listener.owesComment,
            isLast: isClosed
        )
        listener.changed = []
        listener.deleted = []
        listener.owesBye = false
        listener.owesComment = false
        listeners[id] = listener
        return batch
    }
}
