import Foundation

@testable import JobKit

/// Tasks that end one by one during calls of `explainStall`.
///
/// The remaining tasks end when these calls are over.
final class Watched: Sendable {
    private let state: Guarded<State>

    private struct State {
        var ends: [@Sendable () -> Void] = []
        var isOver: Bool
    }

    init(isOver: Bool) { state = Guarded(State(isOver: isOver)) }

    func add(_ end: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.ends.append(end) }
            return state.isOver
        }
        if isOver { end() }
    }

    /// Ends the last of the tasks on another thread.
    func endOne() {
        if let end = state.withLock({ $0.ends.popLast() }) {
            DispatchQueue.global().async(execute: end)
        }
    }

    func endAll() {
        let ends = state.withLock { state in
            state.isOver = true
            defer { state.ends = [] }
            return state.ends
        }
        for end in ends { end() }
    }
}
