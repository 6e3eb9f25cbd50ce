import Foundation
import JobKit

/// A queue that starts an operation when the test says so, in an order that a seed repeats.
///
/// ```swift
/// func testEveryOrder() async throws {
///     for seed in 0..<50 {
///         let queue = StepQueue()
///         let job = ImportJob(queue: queue)
///         try await queue.run(job, seed: UInt64(seed))
///         XCTAssertEqual(job.imported, 3)
///     }
/// }
/// ```
///
/// ``run(_:seed:patience:)`` runs a job to its end. ``runNext()`` and ``runAll(seed:)`` go step by
/// step, on the test's thread.
///
/// > Thread: Any; a callback may call every method.
public final class StepQueue: StartingQueue {
    private let operations = Guarded(HeldElements<Operation>())
    private let executor = StepExecutor()

    /// How many operations are drawn one by one before all are asked whether they are ready.
    private static let draws = 16

    /// Creates an empty queue.
    public init() {}

    /// Holds an operation until it is run.
    public func addOperation(_ operation: Operation) {
        operations.withLock { $0.append(operation) }
        executor.wakeRuns()
    }

    /// Returns what an operation that this queue holds waits for; nil for any other.
    public func reasonNotStarted(_ operation: Operation) -> String? {
        guard operations.withLock({ $0.holds(operation) }) else { return nil }
        return operation.isReady ? "held in StepQueue" : "not ready, in StepQueue"
    }

    /// The operations that have not been started, in the order added.
    public var held: [Operation] { operations.withLock { $0.all } }

    /// Starts a job and whatever this queue holds, in a random order, until the job has finished.
    ///
    /// The `async` bodies of operations that the run starts take part: where several can go on, at
    /// first or after an `await`, the seed decides which one does. So do a job's delays on a
    /// `ManualClock` that has been advanced. Operations, bodies and callbacks run one at a time, on
    /// a thread of the queue, except callbacks on a `callbackQueue`. All that have come by then
    /// have returned when this returns.
    ///
    /// What other threads bring has no part in the seed's order: the end of a callback's work, of a
    /// sleep or of a main-actor function, an operation on another queue, a `Task` that a body
    /// makes. The run waits for it, but not for long. A test that advances a `ManualClock` does so
    /// beside the run:
    ///
    /// ```swift
    /// async let ended: Void = queue.run(job, seed: 1)
    /// await clock.waitForDeadline(clock.now.advanced(by: .seconds(30)))
    /// clock.advance(by: .seconds(30))
    /// try await ended
    /// ```
    ///
    /// A job that is in this queue already, or was started by a run that stalled, goes on.
    /// Cancelling the calling task cancels the job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - seed: The same seed gives the same order.
    ///   - patience: How long, in real time, nothing may go on.
    /// - Throws: ``StepQueueStallError`` if nothing has gone on for as long as `patience` and the job
    ///   has not finished; the job's error; `CancellationError` if the job was cancelled.
    public func run(
        _ job: JobController,
        seed: UInt64,
        patience: Duration = .seconds(1)
    ) async throws {
        let isHeld = held.contains { $0 === job }
        if !isHeld, !job.isExecuting, !job.isFinished { job.startJob(on: self) }
        let run = StepRun(of: job, on: self, executor, seed: seed, patience: patience)
        let hasFinished = await withTaskCancellationHandler {
            await run.finishes()
        } onCancel: {
            run.cancel()
        }
        guard hasFinished else {
            throw StepQueueStallError(
                name: job.label,
                explanation: job.explainStall()
            )
        }
        switch job.outcome {
        case .succeeded: return
        case .failed(let error): throw error
        case .cancelled, nil: throw CancellationError()
        }
    }

    /// Starts the first operation that is ready, on this thread.
    ///
    /// Returns when the resulting callbacks have returned, except those on a `callbackQueue`. An
    /// `async` body goes on by itself.
    ///
    /// - Returns: The operation; nil if none is ready.
    @discardableResult
    public func runNext() -> Operation? {
        while let operation = firstReady {
            guard take(operation) else { continue }
            StepStarter.start(operation)
            return operation
        }
        return nil
    }

    /// Starts operations in a random order, on this thread, until none is ready.
    ///
    /// Returns when the resulting callbacks have returned, except those on a `callbackQueue`. An
    /// `async` body goes on by itself, and what its end adds to this queue stays here: use
    /// ``run(_:seed:patience:)`` for a job with such tasks.
    ///
    /// - Parameter seed: The same seed gives the same order.
    public func runAll(seed: UInt64) {
        var generator = StepGenerator(seed: seed)
        while case .operation(let operation)? = draw(besides: 0, using: &generator) {
            if take(operation) { StepStarter.start(operation) }
        }
    }

    /// The first operation that can be started; asked without the lock, as everywhere here.
    private var firstReady: Operation? {
        let first = operations.withLock { $0.first }
        return first?.isReady == true ? first : held.first(where: \.isReady)
    }

    /// What may go on in a step.
    enum Draw {
        case operation(Operation)
        /// Something else, as a number from 0.
        case other(Int)
    }

    /// Draws an operation that is ready, or one of some other things, each as likely as any other;
    /// nil if nothing can go on.
    ///
    /// Of many operations, draws some and takes the first that is ready: n steps of n operations
    /// that are ready do not ask n² times. Asks all of them where that finds none, and where they
    /// are few, so that what is not ready has no part in the order.
    func draw(besides otherCount: Int, using generator: inout StepGenerator) -> Draw? {
        let isMany = operations.withLock { $0.count > Self.draws }
        for _ in 0..<(isMany ? Self.draws : 0) {
            let draw = operations.withLock { held -> Draw? in
                let count = held.count + otherCount
                guard count > 0 else { return nil }
                let choice = Int.random(in: 0..<count, using: &generator)
                guard choice >= otherCount else { return .other(choice) }
                return held.random(using: &generator).map { .operation($0) }
            }
            guard case .operation(let operation)? = draw, !operation.isReady else { return draw }
        }
        let ready = held.filter(\.isReady)
        guard !ready.isEmpty || otherCount > 0 else { return nil }
        let choice = Int.random(in: 0..<(ready.count + otherCount), using: &generator)
        return choice < otherCount ? .other(choice) : .operation(ready[choice - otherCount])
    }

    /// Takes an operation out; returns false if there is nothing to start.
    func take(_ operation: Operation) -> Bool {
        let isTaken = operations.withLock { $0.remove(operation) }
        return isTaken && !operation.isFinished && !operation.isExecuting
    }
}
