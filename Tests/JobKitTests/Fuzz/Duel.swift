import Foundation
import JobKit
import Synchronization

/// What one round of a duel saw.
final class Referee: Sendable {
    private let seen = Guarded((complaints: [String](), narrowEscapes: 0))

    /// What contradicts the contract.
    var complaints: [String] { seen.withLock { $0.complaints } }

    /// How often something looked wrong that single cases cannot prove.
    ///
    /// A thread that the system stops between a decision and the first instruction of the user's code
    /// looks like one that decided late.
    var narrowEscapes: Int { seen.withLock { $0.narrowEscapes } }

    func complain(_ text: String) { seen.withLock { $0.complaints.append(text) } }

    /// Expects what may fail once in many duels.
    func usuallyExpect(_ condition: Bool) {
        if !condition { seen.withLock { $0.narrowEscapes += 1 } }
    }

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { complain(text()) }
    }
}

/// A race between two or three threads over a few operations, at random times.
///
/// The random trees of ``JobTree`` seldom bring two threads to the same place; a duel does nothing
/// else. Each has the rule that it tries, and complains when it is broken; a use after free ends the
/// process, which the seed repeats.
struct Duel: Sendable {
    let name: String
    let fight: @Sendable (inout Dice, Referee) async -> Void

    init(_ name: String, _ fight: @escaping @Sendable (inout Dice, Referee) async -> Void) {
        self.name = name
        self.fight = fight
    }

    static let all =
        ofOperations + ofPlainOperations + ofJobs + ofSharedTasks + ofQueues + ofObservers
}
