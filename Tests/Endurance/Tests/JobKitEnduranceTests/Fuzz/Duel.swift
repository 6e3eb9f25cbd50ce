import Foundation
import Synchronization

@testable import JobKit

/// The observations of one round of a duel.
final class Referee: Sendable {
    private let seen = Guarded([String]())

    /// The violations of the contract.
    var complaints: [String] { seen.withLock { $0 } }

    func complain(_ text: String) { seen.withLock { $0.append(text) } }

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { complain(text()) }
    }

    /// Expects a condition that becomes true without an event, such as a release on another thread.
    func expectSoon(_ text: String, _ condition: () -> Bool) async {
        guard complaints.isEmpty else { return }
        let limit = ContinuousClock.now + .seconds(120)
        while !condition(), ContinuousClock.now < limit { await Task.yield() }
        expect(condition(), text)
    }
}

/// A race between two or three threads, at random times.
///
/// Duels test plain operations and weak references. `Tests/Schedules` controls neither the locks of
/// Foundation nor the counts of references. A use after free ends the process, and its seed
/// reproduces it.
struct Duel: Sendable {
    let name: String
    let fight: @Sendable (inout Dice, Referee) async -> Void

    init(_ name: String, _ fight: @escaping @Sendable (inout Dice, Referee) async -> Void) {
        self.name = name
        self.fight = fight
    }

    static let all = ofPlainOperations + ofLaunches
}
