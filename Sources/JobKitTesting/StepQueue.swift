import Foundation
import JobKit

/// A queue that starts an operation when the test says so, on the test's thread.
///
/// ```swift
/// let queue = StepQueue()
/// let job = ImportJob(queue: queue)
/// job.startJob(on: queue)
/// queue.runNext()                          // the job's main()
/// XCTAssertEqual(queue.held.count, 3)      // its first tasks
/// queue.runAll(seed: 42)                   // the rest; the same seed gives the same order
/// ```
///
/// > Thread: Any; a callback may call every method.
public final class StepQueue: OperationScheduling {
    private let operations = Guarded<[Operation]>([])

    /// Creates an empty queue.
    public init() {}

    /// Holds an operation until it is run.
    public func addOperation(_ operation: Operation) {
        operations.withLock { $0.append(operation) }
    }

    /// The operations that have not been started, in the order added.
    public var held: [Operation] { operations.withLock { $0 } }

    /// Starts the first operation that is ready, on this thread.
    ///
    /// Returns when the resulting callbacks have returned, except those on a `callbackQueue`.
    ///
    /// - Returns: The operation; nil if none is ready.
    @discardableResult
    public func runNext() -> Operation? {
        guard let operation = take({ $0.first }) else { return nil }
        StepStarter.start(operation)
        return operation
    }

    /// Starts operations in a random order, on this thread, until none is ready.
    ///
    /// Returns when the resulting callbacks have returned, except those on a `callbackQueue`.
    ///
    /// - Parameter seed: The same seed gives the same order.
    public func runAll(seed: UInt64) {
        var generator = StepGenerator(seed: seed)
        while let operation = take({ $0.randomElement(using: &generator) }) {
            StepStarter.start(operation)
        }
    }

    /// Takes one of the ready operations out; asks whether they are ready without the lock.
    private func take(_ choose: ([Operation]) -> Operation?) -> Operation? {
        while let chosen = choose(held.filter(\.isReady)) {
            let isTaken = operations.withLock { operations in
                guard let index = operations.firstIndex(where: { $0 === chosen }) else {
                    return false
                }
                operations.remove(at: index)
                return true
            }
            if isTaken, !chosen.isFinished, !chosen.isExecuting { return chosen }
        }
        return nil
    }
}
