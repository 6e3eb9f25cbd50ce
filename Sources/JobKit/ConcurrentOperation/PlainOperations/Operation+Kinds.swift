import Foundation

/// What JobKit asks of an operation, and tells it, whichever kind it is.
///
/// A ``ConcurrentOperation`` has the answer itself. For a plain operation, one of any other class,
/// ``PlainOperations`` keeps it.
extension Operation {
    /// The operation's number in events, snapshots and timelines; unique in the process.
    ///
    /// > Thread: Any.
    public var operationID: Int {
        (self as? ConcurrentOperation)?.eventNumber ?? PlainOperations.number(of: self)
    }

    // MARK: Listeners

    /// The listeners that hear of the finish, in the order in which they came.
    var listeners: FinishAudience.Listeners {
        (self as? ConcurrentOperation)?.hooks.withLock { $0.audience.listeners }
            ?? PlainOperations.listeners(of: self)
    }

    /// The first listeners but for one of them.
    func listeners(_ limit: Int, otherThan other: OperationListener) -> [OperationListener] {
        (self as? ConcurrentOperation)?.hooks
            .withLock { $0.audience.listeners(limit, otherThan: other) }
            ?? PlainOperations.listeners(limit, of: self, otherThan: other)
    }

    /// Makes a listener hear of the finish, unless it was removed before; returns false if the
    /// operation has finished.
    func addListener(_ listener: OperationListener) -> Bool {
        (self as? ConcurrentOperation)?.addingListener { $0.add(listener) }
            ?? PlainOperations.add(listener, to: self)
    }

    /// A listener hears of the finish no more, and cannot be added again.
    func removeListener(_ listener: OperationListener) {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.remove(listener, from: self)
        }
        let released = concurrent.hooks.withLock { $0.remove(listener) }
        withExtendedLifetime(released) {}
    }

    // MARK: Dependents

    /// Ends an edge when the operation finishes; returns false if it has finished.
    func addDependent(_ dependent: DependencyEdge) -> Bool {
        (self as? ConcurrentOperation)?.hooks.withLock { $0.add(dependent) }
            ?? PlainOperations.add(dependent, to: self)
    }

    /// An edge is over before the operation has finished.
    func dependentLeft() {
        guard let concurrent = self as? ConcurrentOperation else {
            return PlainOperations.dependentLeft(self)
        }
        let released = concurrent.hooks.withLock { $0.dependentLeft() }
        withExtendedLifetime(released) {}
    }
}
