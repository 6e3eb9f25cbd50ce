import Foundation
import JobKit

/// Starts operations when a test requests it, in an order that a seed repeats.
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
/// ``run(_:seed:patience:)`` runs a job to its end. ``runNext()`` and ``runAll(seed:)`` start
/// operations one by one, on the test's thread.
///
/// > Thread: Any. A callback may call every method.
public final class StepQueue: StartingQueue {
    private let operations = Guarded(HeldElements<Operation>())
    private let executor = StepExecutor()

    /// The number of operations that are picked one by one before `isReady` is read for all.
    private static let draws = 16

    /// Creates an empty queue.
    public init() {}

    /// Holds an operation until it is run.
    public func addOperation(_ operation: Operation) {
        executor.add(StepKey(operation)) { operations.withLock { $0.append(operation) } }
    }

    /// Returns the reason why an operation in this queue waits.
    ///
    /// Nil for an operation that is not in this queue.
    public func reasonNotStarted(_ operation: Operation) -> String? {
        guard operations.withLock({ $0.holds(operation) }) else { return nil }
        return operation.isReady ? "held in StepQueue" : "not ready, in StepQueue"
    }

    /// The operations that have not been started, in the order in which they were added.
    public var held: [Operation] { operations.withLock { $0.all } }

    /// Runs a job and this queue's operations in random order, until the job has finished.
    ///
    /// The seed also decides the order of the `async` bodies of operations that the run starts: if
    /// several bodies can continue, at first or after an `await`, it picks the next one. The same
    /// applies to a job's delays on a `ManualClock` that has been advanced. Operations, bodies and
    /// callbacks run one at a time, on a thread of the queue, except callbacks on a
    /// `callbackQueue`. When this method returns, all callbacks that had been called have returned.
    ///
    /// The seed does not decide the order of events from other threads: the end of a callback's
    /// work, of a sleep or of a main-actor function, an operation on another queue, or a Swift task
    /// that a body creates. The run waits for such an event, but only for the time of `patience`. A
    /// test that advances a `ManualClock` does so concurrently with the run:
    ///
    /// ```swift
    /// async let ended: Void = queue.run(job, seed: 1)
    /// await clock.waitForDeadline(clock.now.advanced(by: .seconds(30)))
    /// clock.advance(by: .seconds(30))
    /// try await ended
    /// ```
    ///
    /// A job that is already in this queue, or was started by a run that stalled, continues.
    /// Cancelling the calling Swift task cancels the job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - seed: The seed of the order. The same seed gives the same order.
    ///   - patience: How long the run may make no progress, in real time, before it throws an
    ///     error.
    /// - Throws: ``StepQueueStallError`` if the run made no progress for the time of `patience` and
    ///   the job has not finished, the job's error if it failed, or `CancellationError` if it was
    ///   cancelled.
    public func run(
        _ job: JobController,
        seed: UInt64,
        patience: Duration = .seconds(1)
    ) async throws {
        let chooser = StepChooser(seed: seed)
        try await run(job, chooser: chooser, patience: patience).result.get()
    }

    /// Runs a job with the steps that a chooser chooses.
    ///
    /// Returns the result of ``run(_:seed:patience:)``, and the steps if the chooser records them.
    func run(
        _ job: JobController,
        chooser: StepChooser,
        patience: Duration
    ) async -> (result: Result<Void, any Error>, trace: [StepTrace]) {
        let isHeld = held.contains { $0 === job }
        if !isHeld, !job.isExecuting, !job.isFinished { job.startJob(on: self) }
        let run = StepRun(of: job, on: self, executor, chooser: chooser, patience: patience)
        let hasFinished = await withTaskCancellationHandler {
            await run.finishes()
        } onCancel: {
            run.cancel()
        }
        let result: Result<Void, any Error> =
            switch (hasFinished, job.outcome) {
            case (false, _):
                .failure(StepQueueStallError(name: job.label, explanation: job.explainStall()))
            case (_, .succeeded): .success(())
            case (_, .failed(let error)): .failure(error)
            case (_, .cancelled), (_, nil): .failure(CancellationError())
            }
        return (result, run.trace)
    }

    /// Starts the first operation that is ready, on the calling thread.
    ///
    /// Returns when the resulting callbacks have returned, except those on a `callbackQueue`. An
    /// `async` body continues by itself.
    ///
    /// - Returns: The operation. Nil if none is ready.
    @discardableResult
    public func runNext() -> Operation? {
        while let operation = firstReady {
            guard take(operation) else { continue }
            StepStarter.start(operation)
            return operation
        }
        return nil
    }

    /// Starts operations in a random order, on the calling thread, until none is ready.
    ///
    /// Returns when the resulting callbacks have returned, except those on a `callbackQueue`. An
    /// `async` body continues by itself. Operations that are added when it ends stay in this queue,
    /// so use ``run(_:seed:patience:)`` for a job with such tasks.
    ///
    /// - Parameter seed: The seed of the order. The same seed gives the same order.
    public func runAll(seed: UInt64) {
        var generator = StepGenerator(seed: seed)
        while case .operation(let operation)? = draw(besides: 0, using: &generator) {
            if take(operation) { StepStarter.start(operation) }
        }
    }

    /// The first operation that can be started.
    ///
    /// As everywhere here, `isReady` is read without the lock.
    private var firstReady: Operation? {
        let first = operations.withLock { $0.first }
        return first?.isReady == true ? first : held.first(where: \.isReady)
    }

    /// The choice for a step of a run.
    enum Draw {
        case operation(Operation)
        /// A part of an `async` body, as its index in the executor.
        case other(Int)
    }

    /// Picks a ready operation or a part of a body, all with the same probability.
    ///
    /// `otherCount` is the number of parts. Nil if nothing can continue.
    ///
    /// If there are many operations, it picks some of them and takes the first that is ready.
    /// Therefore, *n* steps of *n* ready operations do not read `isReady` *n*² times. If none of
    /// them is ready, or there are few operations, it checks all, so that operations that are not
    /// ready do not affect the order.
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

    /// Removes an operation from the queue.
    ///
    /// Returns false if there is nothing to start.
    func take(_ operation: Operation) -> Bool {
        let isTaken = operations.withLock { $0.remove(operation) }
        return isTaken && !operation.isFinished && !operation.isExecuting
    }
}
