import Foundation
import Synchronization

/// One operation's wait for another, which ends once: by the finish or by the removal.
///
/// Both operations hold the edge and neither locks the other, so an edge that is removed while it
/// is being registered is found to be over by the thread that registers it.
final class DependencyEdge: FinishListElement {
    private let dependencyCount: DependencyCount
    private let hasEnded = Atomic(false)

    /// Makes an edge that holds the operation back until it is over.
    init(_ dependencyCount: DependencyCount) {
        self.dependencyCount = dependencyCount
        dependencyCount.dependencyAdded()
    }

    /// Whether the wait is over.
    var hasLeft: Bool { hasEnded.load(ordering: .acquiring) }

    /// Returns whether the operation was still waiting; it may have become ready.
    @discardableResult
    func end() -> Bool {
        guard leave() else { return false }
        dependencyCount.dependencyGone()
        return true
    }

    /// Ends the edge of an operation that is being released, without telling it that it is ready.
    func leave() -> Bool {
        !hasEnded.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Ends the edge when the operation finishes; at once if it has already finished.
    func register(with operation: Operation) {
        if !operation.addDependent(self) { end() }
    }

    /// Tells the operation that its finish no longer matters to this edge, which is over.
    func withdraw(from operation: Operation) { operation.dependentLeft() }
}
