/// Everything to notify when an operation finishes.
///
/// The operation's lock guards it, until the thread that finishes the operation takes it out.
struct FinishSubscribers: Sendable {
    /// Stored inline, because most operations have exactly one listener and nothing else.
    private(set) var listener: OperationListener?
    private(set) var others = Rare<Others>()

    struct Others {
        fileprivate(set) var listeners = SubscriberList<OperationListener>()
        fileprivate(set) var dependents = SubscriberList<DependencyEdge>()
        fileprivate(set) var waiters: [FinishWaiter] = []
    }

    /// The listeners in the order added.
    ///
    /// The single listener of most operations needs no array.
    struct Listeners: Sequence, IteratorProtocol {
        fileprivate var first: OperationListener?
        fileprivate var others: IndexingIterator<[OperationListener]>

        mutating func next() -> OperationListener? { first.take() ?? others.next() }
    }

    /// The listeners that have not been removed.
    var listeners: Listeners {
        let present = others.read { $0.listeners.present } ?? []
        return Listeners(first: listener, others: present.makeIterator())
    }

    /// The first listeners, except the given one.
    func listeners(_ limit: Int, otherThan other: OperationListener) -> [OperationListener] {
        if let listener, listener !== other {
            let rest = limit > 1 ? others.read { $0.listeners } : nil
            return [listener] + (rest?.first(limit - 1, otherThan: other) ?? [])
        }
        return others.read { $0.listeners.first(limit, otherThan: other) } ?? []
    }

    /// Whether there may be more than one listener.
    var hasSeveralListeners: Bool {
        let count = others.read { $0.listeners.elements.count } ?? 0
        return count > (listener == nil ? 1 : 0)
    }

    /// Whether another operation waits for this one to finish.
    var hasDependents: Bool { others.read { !$0.dependents.elements.isEmpty } == true }

    var waiters: [FinishWaiter] { others.read { $0.waiters } ?? [] }

    /// Whether nothing is left to notify.
    mutating func isEmpty() -> Bool {
        guard listener == nil else { return false }
        return others.change {
            $0.listeners.isEmpty() && $0.dependents.isEmpty() && $0.waiters.isEmpty
        } != false
    }

    // MARK: Adding and removing

    /// Adds a listener, unless it was added or removed before.
    mutating func add(_ listener: OperationListener) {
        // Its job may have ended before this call.
        guard listener.listening == .notYet else { return }
        listener.listening = .now
        if self.listener == nil, others.change({ $0.listeners.isEmpty() }) != false {
            self.listener = listener
        } else {
            others.change(orMake: Others()) { $0.listeners.append(listener) }
        }
    }

    /// Removes a listener, which cannot be added again.
    ///
    /// - Returns: Objects that the caller must release with no lock held, because a record may be
    ///   the last owner of objects that users gave to a deallocated job.
    mutating func remove(_ listener: OperationListener) -> [OperationListener] {
        let wasAdded = listener.listening == .now
        listener.listening = .noLonger
        if self.listener === listener {
            self.listener = nil
        } else if wasAdded {
            return others.change { $0.listeners.elementLeft() } ?? []
        }
        return []
    }

    mutating func add(_ dependent: DependencyEdge) {
        others.change(orMake: Others()) { $0.dependents.append(dependent) }
    }

    /// Removes a dependent, which no longer waits.
    ///
    /// - Returns: Objects that the caller must release with no lock held, because an edge may be
    ///   the last owner of a plain operation that waited.
    mutating func dependentLeft() -> [DependencyEdge] {
        others.change { $0.dependents.elementLeft() } ?? []
    }

    mutating func add(_ waiter: FinishWaiter) {
        others.change(orMake: Others()) { $0.waiters.append(waiter) }
    }

    /// Removes and returns the waiters for which `isTaken` returns true.
    mutating func takeWaiters(_ isTaken: (FinishWaiter) -> Bool) -> [FinishWaiter] {
        others.change { others in
            let taken = others.waiters.filter(isTaken)
            others.waiters.removeAll(where: isTaken)
            return taken
        } ?? []
    }

    // MARK: Notifying

    /// Notifies the listeners.
    ///
    /// - Parameters:
    ///   - hasFailed: Whether the operation has failed.
    ///   - takes: Whether the caller delivers to the listener. If not, another thread does.
    func notifyListeners(hasFailed: Bool, _ takes: (OperationListener) -> Bool) {
        func notify(_ listener: OperationListener) {
            listener.operationFinished(hasFailed: hasFailed)
            if !takes(listener) { listener.deliverElsewhere() }
        }
        if let listener { notify(listener) }
        for listener in others.read({ $0.listeners.present }) ?? [] { notify(listener) }
    }

    func endDependents() {
        for dependent in others.read({ $0.dependents.elements }) ?? [] { dependent.end() }
    }

    func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
    }
}
