import Foundation
import JobKit
import Synchronization

/// Runs operations one at a time on the caller's thread, in an order drawn from a seed.
final class ShuffledQueue: OperationScheduling {
    private let held = Mutex<[Operation]>([])

    func addOperation(_ operation: Operation) {
        held.withLock { $0.append(operation) }
    }

    /// Runs operations, also those added meanwhile, until none is held.
    func runAll(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        while let next = take(&generator) { next.start() }
    }

    private func take(_ generator: inout SeededGenerator) -> Operation? {
        var drawn = generator
        defer { generator = drawn }
        return held.withLock { held in
            guard let index = held.indices.randomElement(using: &drawn) else { return nil }
            return held.remove(at: index)
        }
    }
}
