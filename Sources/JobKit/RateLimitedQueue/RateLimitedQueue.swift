import Dispatch
import Foundation

/// Hands operations on to another queue, at most so many in any stretch of time.
///
/// ```swift
/// let api = RateLimitedQueue(TaskQueue.shared, limit: 100, per: .seconds(1))
/// for page in pages { trackAndQueue(Fetch(page), on: api) }
/// ```
///
/// Operations are handed on when they are ready, by `queuePriority`, and within a priority in the
/// order added. One that waits here holds no thread and no place of the other queue. A cancelled
/// ``ConcurrentOperation`` finishes at once, a cancelled plain `Operation` within 100 ms; neither
/// counts against the limit.
///
/// The attempts of a retry obey the rate if the retry is given this queue:
///
/// ```swift
/// let fetch = RetryOperation(policy, on: api) { _ in Fetch(page) }
/// ```
///
/// The queue waits for its turn by its clock. If the clock goes back, operations that were handed
/// on before count as handed on at the earlier time. The queue may be released while operations
/// wait in it: they are still handed on.
///
/// > Thread: Every member may be used from any thread. Operations are handed on by the threads that
/// > add them, that finish what they depend on, and of Swift concurrency.
public final class RateLimitedQueue: PassingQueue, PollingQueue {
    private struct State {
        var machine: RateLimitedQueueStateMachine<Operation>
        /// The machine's numbers of the operations that wait.
        var sequences: [ObjectIdentifier: Int] = [:]
        /// Which operations are asked again whether they are ready, or cancelled, and when.
        var polls = ReadinessPolls()
        /// Sleeps until the next operation may be handed on.
        var timer: Task<Void, Never>?
        /// The queue itself while operations wait.
        var keptAlive: RateLimitedQueue?

        /// Returns the next step; an operation that is to be handed on waits no longer.
        mutating func nextStep(
            at now: Duration
        ) -> RateLimitedQueueStateMachine<Operation>.Step {
            let step = machine.nextStep(at: now)
            if case .handOn(let operation) = step { sequences[ObjectIdentifier(operation)] = nil }
            return step
        }
    }

    /// Where operations are handed on to.
    let queueBelow: any OperationScheduling
    private let clock: any Clock<Duration>
    private let timeSinceCreation: @Sendable () -> Duration
    private let state: Guarded<State>
    let pollQueue = DispatchQueue(label: "JobKit.RateLimitedQueue")

    /// Ends cancelled operations whose `start()` is a user's code.
    private static let cancelledOperations = TaskQueue(name: "JobKit.RateLimitedQueue")

    /// Creates a queue that hands on to another one.
    ///
    /// - Parameters:
    ///   - queue: Where operations are handed on to.
    ///   - limit: How many operations are handed on at most in any stretch of `interval`; a number
    ///     below 1 traps.
    ///   - interval: The length of the stretch; 0 for no limit. A negative value traps.
    ///   - clock: Measures the interval.
    public init(
        _ queue: any OperationScheduling,
        limit: Int,
        per interval: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        guard limit >= 1 else {
            fatalError(
                "JobKit: the limit of a RateLimitedQueue is \(limit); it must be at least 1."
            )
        }
        guard interval >= .zero else {
            fatalError(
                "JobKit: the interval of a RateLimitedQueue is \(interval); it must be at least 0."
            )
        }
        queueBelow = queue
        self.clock = clock
        timeSinceCreation = Self.timeSinceNow(of: clock)
        state = Guarded(
            State(machine: RateLimitedQueueStateMachine(limit: limit, interval: interval))
        )
    }

    /// Adds an operation, which is handed on when it is ready and its turn has come.
    ///
    /// The operation is retained until then. Traps if the operation is already in a queue of
    /// JobKit's or was started.
    public func addOperation(_ operation: Operation) {
        add(operation, mayHaveStarted: false)
    }

    private static func timeSinceNow<C: Clock<Duration>>(
        of clock: C
    ) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    // MARK: Adding

    func add(_ operation: Operation, mayHaveStarted: Bool) {
        let entry = operation.enter(self, startsIt: false, nil)
        guard !entry.standsElsewhere else { refuse(operation, "stands in a queue already") }
        guard entry.hasStarted else { return hold(operation) }
        if !mayHaveStarted { refuse(operation, "has been started") }
    }

    /// Has an operation wait for its turn.
    private func hold(_ operation: Operation) {
        let priority = TaskPriority(of: operation)
        state.withLock { state in
            let sequence = state.machine.entryAdded(operation, priority: priority)
            state.sequences[ObjectIdentifier(operation)] = sequence
            state.keptAlive = self
        }
        checkReadiness(of: operation)
        pollUnlessItTells(operation)
        if TaskPriority(of: operation) != priority { operationPriorityChanged(operation) }
    }

    private func refuse(_ operation: Operation, _ reason: String) -> Never {
        fatalError(
            "JobKit: \(operationLabel(operation)) was added to a RateLimitedQueue, but it \(reason)."
        )
    }

    // MARK: Changes of operations

    func operationBecameReady(_ operation: Operation) {
        if operation.hasStarted {
            // Other code has started it.
            if remove(operation) { operation.leave(self) }
        } else if operation.isCancelled {
            if remove(operation) { end(operation) }
        } else {
            change(operation) { $0.entryBecameReady($1) }
        }
    }

    func operationPriorityChanged(_ operation: Operation) {
        let priority = TaskPriority(of: operation)
        change(operation) { $0.priorityChanged(of: $1, to: priority) }
    }

    /// Other code has started the operation, and it has finished.
    func operationFinished(_ operation: ConcurrentOperation) {
        _ = remove(operation)
    }

    /// Not called: what waits here has no permit.
    func operationFinished(_ ticket: TaskQueueTicket) {}

    private func change(
        _ operation: Operation,
        _ input: (inout RateLimitedQueueStateMachine<Operation>, Int) -> Void
    ) {
        let waits = state.withLock { state in
            guard let sequence = state.sequences[ObjectIdentifier(operation)] else { return false }
            input(&state.machine, sequence)
            return true
        }
        if waits { handOn() }
    }

    /// Takes an operation out that is not handed on; returns false if it does not wait.
    private func remove(_ operation: Operation) -> Bool {
        let waited = state.withLock { state in
            let sequence = state.sequences.removeValue(forKey: ObjectIdentifier(operation))
            if let sequence { state.machine.entryLeft(sequence) }
            return sequence != nil
        }
        if waited { handOn() }
        return waited
    }

    /// Ends a cancelled operation, which runs no code.
    private func end(_ operation: Operation) {
        operation.leave(self)
        guard !operation.hasStarted else { return }
        guard operation is ConcurrentOperation else {
            return Self.cancelledOperations.addUnlessStarted(operation)
        }
        operation.startCancelled()
    }

    // MARK: Handing on

    /// Hands on what may be, and sees to the time when more may.
    ///
    /// One thread at a time does, so that operations arrive in order: one that adds an operation or
    /// makes one ready meanwhile leaves it to that thread.
    private func handOn() {
        guard state.withLock({ $0.machine.claimSteps() }) else { return }
        while true {
            // A user's clock is asked without the lock.
            let now = timeSinceCreation()
            switch state.withLock({ $0.nextStep(at: now) }) {
            case .handOn(let operation): handOn(operation)
            case .sleep(let duration):
                replaceTimer(by: duration.map(timer))
            case .nothing: return letGoIfIdle()
            }
        }
    }

    private func handOn(_ operation: Operation) {
        guard !operation.isCancelled else { return end(operation) }
        // A dependency was added while the operation waited for its turn.
        guard operation.isReady else { return hold(operation) }
        operation.leave(self)
        guard !operation.hasStarted else { return }
        queueBelow.addUnlessStarted(operation)
        let now = timeSinceCreation()
        state.withLock { $0.machine.handedOn(at: now) }
    }

    private func timer(_ duration: Duration) -> Task<Void, Never> {
        OperationTimers.wait(duration, on: clock) { [self] in
            state.withLock { $0.machine.sleepEnded() }
            handOn()
        }
    }

    private func replaceTimer(by timer: Task<Void, Never>?) {
        state.withLock { exchange(&$0.timer, with: timer) }?.cancel()
    }

    private func letGoIfIdle() {
        _ = state.withLock { $0.machine.isIdle ? $0.keptAlive.take() : nil }
    }

    // MARK: Whether operations are ready

    func isDue(_ operation: Operation) -> Bool {
        operation.isReady || operation.isCancelled || operation.hasStarted
    }

    func waitingTicket(of operation: Operation) -> TaskQueueTicket? {
        state.withLock { $0.sequences[ObjectIdentifier(operation)] }
            .map { TaskQueueTicket(sequence: $0, slot: 0) }
    }

    func changePolls<Result: Sendable>(
        _ change: @Sendable (inout ReadinessPolls, (TaskQueueTicket) -> Operation?) -> Result
    ) -> Result {
        state.withLock { state in
            // Taken out meanwhile, so that the rest can be read.
            var polls = ReadinessPolls()
            swap(&polls, &state.polls)
            defer { swap(&polls, &state.polls) }
            return change(&polls) { state.machine.entry($0.sequence) }
        }
    }

    // MARK: Asking

    /// Returns why an operation that waits here, or in the queue below, has not been started.
    public func reasonNotStarted(_ operation: Operation) -> String? {
        operation.home === self
            ? reasonsNotStarted(at: .now)(operation) : queueBelow.reasonNotStarted(operation)
    }

    func reasonsNotStarted(at now: CoarseTime) -> (Operation) -> String? {
        let (limit, interval) = state.withLock { ($0.machine.limit, $0.machine.interval) }
        return { $0.reasonNotReady ?? "waits for the rate: \(limit) in \(interval)" }
    }
}
