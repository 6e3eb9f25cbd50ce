/// Everything to notify when an operation finishes.
///
/// The operation's lock guards it, until the thread that finishes the operation takes it out.
struct FinishSubscribers: Sendable {
    /// Stored inline, because most operations have exactly one listener and nothing else.
    private(set) var listener: OperationListener?
    private(set) var others = Rare<Others>()

    struct Others {
        fileprivate(set) var listeners = OrderedMap<OperationListener>()
        fileprivate(set) var dependents = OrderedMap<DependencyEdge>()
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

    var listeners: Listeners {
        let further = others.read { $0.listeners.values } ?? []
        return Listeners(first: listener, others: further.makeIterator())
    }

    /// Up to `limit` listeners, except the given one.
    func listeners(_ limit: Int, otherThan other: OperationListener) -> [OperationListener] {
        if let listener, listener !== other {
            let rest = others.read { $0.listeners.values(limit - 1, otherThan: other) }
            return [listener] + (rest ?? [])
        }
        return others.read { $0.listeners.values(limit, otherThan: other) } ?? []
    }

    /// Whether there may be more than one listener.
    var hasSeveralListeners: Bool {
        let count = others.read { $0.listeners.count } ?? 0
        return count > (listener == nil ? 1 : 0)
    }

    /// Whether another operation waits for this one to finish.
    var hasDependents: Bool { others.read { !$0.dependents.isEmpty } == true }

    var waiters: [FinishWaiter] { others.read { $0.waiters } ?? [] }

    /// Whether nothing is left to notify.
    var isEmpty: Bool {
        guard listener == nil else { return false }
        return others.read {
            $0.listeners.isEmpty && $0.dependents.isEmpty && $0.waiters.isEmpty
        } != false
    }

    // MARK: Adding and removing

    /// Adds a listener, unless it was added or removed before.
    mutating func add(_ listener: OperationListener) {
        // Its job may have ended before this call.
        guard listener.listening == .notYet else { return }
        listener.listening = .now
        if self.listener == nil, others.read({ $0.listeners.isEmpty }) != false {
            self.listener = listener
        } else {
            others.change(orMake: Others()) { $0.listeners.add(listener, for: listener) }
        }
    }

    /// Removes a listener, which cannot be added again.
    mutating func remove(_ listener: OperationListener) {
        listener.listening = .noLonger
        if self.listener === listener {
            self.listener = nil
        } else {
            _ = others.change { $0.listeners.remove(listener) }
        }
    }

    /// Adds an edge, unless it has ended before this call.
    mutating func add(_ dependent: DependencyEdge) {
        guard !dependent.hasEnded else { return }
        others.change(orMake: Others()) { $0.dependents.add(dependent, for: dependent) }
    }

    /// Removes an edge that has ended.
    mutating func remove(_ dependent: DependencyEdge) {
        _ = others.change { $0.dependents.remove(dependent) }
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
        _ = others.read { $0.listeners.forEachValue(notify) }
    }

    func endDependents() {
        _ = others.read { $0.dependents.forEachValue { $0.end() } }
    }

    func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
    }
}
