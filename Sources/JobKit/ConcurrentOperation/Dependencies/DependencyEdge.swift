import Foundation
import Synchronization

/// The wait of one operation for another, which ends once: by completion or by removal.
///
/// Both operations hold the edge, and neither locks the other. Therefore, an edge may be removed
/// while it is being registered. In that case, the registering thread detects that the edge has
/// ended.
final class DependencyEdge: Sendable {
    private let unfinished: WaitGroup
    private let ended = Atomic(false)

    /// Creates an edge that keeps the operation from becoming ready until the edge has ended.
    init(_ unfinished: WaitGroup) {
        self.unfinished = unfinished
        unfinished.enter()
    }

    /// Whether the wait has ended.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Ends the wait, after which the operation may be ready.
    ///
    /// - Returns: Whether the operation was still waiting.
    @discardableResult
    func end() -> Bool {
        guard leave() else { return false }
        unfinished.leave()
        return true
    }

    /// Ends the edge of an operation that is being released, without making it ready.
    ///
    /// - Returns: Whether the edge had not ended before.
    func leave() -> Bool {
        !ended.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Ends the edge when the operation finishes, or at once if it has already finished.
    func register(with operation: Operation) {
        if !operation.addDependent(self) { end() }
    }
}
