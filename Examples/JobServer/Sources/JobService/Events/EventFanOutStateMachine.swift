/// Collects for each listener the runs that have changed since its last batch.
///
/// A listener that reads nothing costs only the set of these runs, however often they change.
struct EventFanOutStateMachine: Sendable {
    typealias ListenerID = Int

    /// The next events of a listener.
    struct Batch: Equatable, Sendable {
        /// The runs that have changed, in order of their numbers.
        var runIDs: [Int64] = []
        /// The runs that were deleted, in order of their numbers.
        var deletedIDs: [Int64] = []
        /// Whether starts were paused or resumed.
        var isQueueChanged = false
        /// Whether the server begins to stop.
        var saysBye = false
        /// Whether a comment is due, because the stream was silent for long.
        var isComment = false
        /// Whether it is the last batch.
        var isLast = false
    }

    private struct Listener {
        var changed: Set<Int64> = []
        var deleted: Set<Int64> = []
        var owesQueue = false
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

    /// Whether there are no listeners.
    var isEmpty: Bool { listeners.isEmpty }
    /// The number of listeners.
    var count: Int { listeners.count }

    /// Adds a listener.
    ///
    /// Returns nil if there are too many, or no events will follow.
    mutating func listenerCame() -> ListenerID? {
        guard listeners.count < limit, !isClosed else { return nil }
        made += 1
        listeners[made] = Listener(owesBye: isStopping)
        return made
    }

    /// Removes a listener.
    mutating func listenerLeft(_ id: ListenerID) {
        listeners[id] = nil
    }

    /// Adds a changed run to the next batches.
    ///
    /// The listeners are woken at the next tick.
    mutating func runChanged(_ runID: Int64) {
        for id in listeners.keys { listeners[id]?.changed.insert(runID) }
    }

    /// Adds a run to the next batches, because its end has been saved.
    ///
    /// - Returns: The listeners to wake at once.
    mutating func runEnded(_ runID: Int64) -> [ListenerID] {
        runChanged(runID)
        return Array(listeners.keys)
    }

    /// Adds a deleted run to the next batches.
    ///
    /// - Returns: The listeners to wake at once.
    mutating func runDeleted(_ runID: Int64) -> [ListenerID] {
        for id in listeners.keys {
            listeners[id]?.changed.remove(runID)
            listeners[id]?.deleted.insert(runID)
        }
        return Array(listeners.keys)
    }

    /// Announces that starts were paused or resumed.
    ///
    /// - Returns: The listeners to wake at once.
    mutating func queueChanged() -> [ListenerID] {
        for id in listeners.keys { listeners[id]?.owesQueue = true }
        return Array(listeners.keys)
    }

    /// Handles a tick of the clock.
    ///
    /// - Returns: The listeners to wake.
    mutating func ticked() -> [ListenerID] {
        listeners.filter { !$0.value.changed.isEmpty }.map(\.key)
    }

    /// Requests a comment for a listener, to show that the connection works.
    mutating func commentDue(for id: ListenerID) -> [ListenerID] {
        guard listeners[id] != nil else { return [] }
        listeners[id]?.owesComment = true
        return [id]
    }

    /// Announces that the server begins to stop.
    mutating func stopBegan() -> [ListenerID] {
        guard !isStopping else { return [] }
        isStopping = true
        for id in listeners.keys { listeners[id]?.owesBye = true }
        return Array(listeners.keys)
    }

    /// Closes the streams once they have written the last end.
    mutating func closed() -> [ListenerID] {
        isClosed = true
        return Array(listeners.keys)
    }

    /// Takes the next batch of a listener, which has written its previous one.
    mutating func taken(by id: ListenerID) -> Batch {
        guard var listener = listeners[id] else { return Batch(isLast: true) }
        let batch = Batch(
            runIDs: listener.changed.sorted(),
            deletedIDs: listener.deleted.sorted(),
            isQueueChanged: listener.owesQueue,
            saysBye: listener.owesBye,
            isComment: listener.owesComment,
            isLast: isClosed
        )
        listener.changed = []
        listener.deleted = []
        listener.owesQueue = false
        listener.owesBye = false
        listener.owesComment = false
        listeners[id] = listener
        return batch
    }
}
