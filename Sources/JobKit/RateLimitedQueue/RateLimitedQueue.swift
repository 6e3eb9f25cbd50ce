import Dispatch
import Foundation

/// Passes operations on to another queue at a limited rate.
///
/// ```swift
/// let api = RateLimitedQueue(TaskQueue.shared, limit: 100, per: .seconds(1))
/// for page in pages { trackAndQueue(Fetch(page), on: api) }
/// ```
///
/// At most `limit` operations start in any interval, even if the queue below delays them and then
/// starts them together. Therefore, at most `limit` operations have been passed on and have not
/// started. An operation that is cancelled before its start no longer counts. If an
/// `OperationQueue` or your own queue starts a plain operation, JobKit cannot detect the start. In
/// that case, the moment at which the operation was passed on counts.
///
/// Operations are passed on when they are ready, by `queuePriority`, and within a priority in the
/// order added. Operations that wait here hold no thread and no permit of the other queue. A
/// cancelled ``ConcurrentOperation`` finishes at once, and a cancelled plain `Operation` within 100
/// ms.
///
/// The attempts of a retry follow the rate if the retry receives this queue:
///
/// ```swift
/// let fetch = RetryOperation(policy, on: api) { _ in Fetch(page) }
/// ```
///
/// The queue measures the interval with its clock. If the clock goes back, operations that started
/// before count as started at the earlier time. The queue may be released while operations wait in
/// it. They are still passed on.
///
/// > Thread: Every member may be used from any thread. Operations are passed on by the threads that
/// > add them, by those that start or finish other operations, and by threads of JobKit.
public final class RateLimitedQueue: PassingQueue, HoldingQueue {
    let queueBelow: any OperationScheduling
    let label = "a RateLimitedQueue"
    let state: Guarded<HoldingState<RateLimitedQueueStateMachine<HeldOperation>>>
    let pollQueue = DispatchQueue(label: "JobKit.RateLimitedQueue")
    private let clock: any Clock<Duration>
    private let timeSinceCreation: @Sendable () -> Duration
    /// The timer until the next operation may be passed on.
    private let timer = Guarded<TimerStart.Wait?>(nil)
    /// Whether JobKit starts plain operations in the queue below.
    private let startsPlainOperations: Bool

    /// Creates a queue that passes operations on to another one.
    ///
    /// - Parameters:
    ///   - queue: The queue to which operations are passed on.
    ///   - limit: How many operations start at most in any `interval`. A number below 1 traps.
    ///   - interval: The length of the interval. If it is 0, only the number of operations that
    ///     were passed on and have not started is limited. A negative value traps.
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
        startsPlainOperations = queue.startingQueue is any StartingQueue
        self.clock = clock
        timeSinceCreation = Self.timeSinceNow(of: clock)
        state = Guarded(
            HoldingState(RateLimitedQueueStateMachine(limit: limit, interval: interval))
        )
    }

    /// Adds an operation, which is passed on when it is ready and it is its turn.
    ///
    /// The operation is retained until then. Traps if the operation is already in a queue of JobKit
    /// or was started.
    public func addOperation(_ operation: Operation) {
        add(operation, mayHaveStarted: false)
    }

    /// Returns why an operation that waits here, or in the queue below, has not been started.
    public func reasonNotStarted(_ operation: Operation) -> String? {
        reason(operation, below: queueBelow)
    }

    private static func timeSinceNow<C: Clock<Duration>>(
        of clock: C
    ) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    func add(_ operation: Operation, mayHaveStarted: Bool) {
        guard enter(operation, mayHaveStarted: mayHaveStarted) else { return }
        let priority = OperationPriority(of: operation)
        let held = HeldOperation(operation: operation, queue: queueBelow)
        let listener = HeldListener(of: self)
        state.withLock { state in
            let ticket = state.machine.entryAdded(held, priority: priority)
            listener.ticket = ticket
            state.operationWaits(operation, ticket, in: self)
        }
        arrived(operation, listener, at: priority)
    }

    // MARK: Passing on

    func passOn() {
        guard state.withLock({ $0.claim() }) else { return }
        while true {
            let now = readClock()
            let action = state.withLock { state in
                let action = state.machine.nextAction(at: now)
                switch action {
                case .passOn(let held, _, _): state.operationLeaves(held.operation)
                case .sleep: break
                case .nothing: state.endClaim()
                }
                return action
            }
            switch action {
            case .passOn(let held, let ticket, let priority): pass(held, ticket, priority)
            case .sleep(let duration):
                let next = duration.flatMap(timer)
                timer.withLock { exchange(&$0, with: next) }?.cancel()
            case .nothing: return
            }
        }
    }

    private func pass(
        _ held: HeldOperation,
        _ ticket: TaskQueueTicket,
        _ priority: OperationPriority
    ) {
        let operation = held.operation
        if operation.notifiesQueue {
            operation.mark(.observed)
            // If it is cancelled before its start, it no longer counts, even if it is in the queue
            // below.
            operation.add(FinishWaiter { [weak self] in self?.operationCannotStart(ticket) })
            passOn(held, ticket, at: priority)
        } else {
            if !startsPlainOperations { state.withLock { $0.machine.startIsHidden(of: ticket) } }
            let isPassedOn = passOn(held, ticket, at: priority)
            guard !startsPlainOperations else { return }
            if isPassedOn { operationStarted(ticket) } else { operationCannotStart(ticket) }
        }
    }

    func operationEnded(_ listener: HeldListener) { end(listener) }

    func operationStarted(_ listener: HeldListener) {
        if let ticket = state.withLock({ _ in listener.ticket }) { operationStarted(ticket) }
    }

    private func operationStarted(_ ticket: TaskQueueTicket) {
        let now = readClock()
        state.withLock { $0.machine.entryStarted(ticket, at: now) }
        passOn()
    }

    /// Reads the clock without the lock, because it may be a user's.
    private func readClock() -> Machine.Reading {
        let number = state.withLock { $0.machine.readingCount }
        return Machine.Reading(number: number, time: timeSinceCreation())
    }

    private func operationCannotStart(_ ticket: TaskQueueTicket) {
        _ = state.withLock { $0.machine.entryLeft(ticket) }
        passOn()
    }

    private func timer(_ duration: Duration) -> TimerStart.Wait? {
        TimerStart.Wait(duration, on: clock) { [self] in
            state.withLock { $0.machine.sleepEnded() }
            passOn()
        }
    }

    func reasonToWait(
        _ ticket: TaskQueueTicket,
        _ machine: RateLimitedQueueStateMachine<HeldOperation>,
        at now: CoarseTime
    ) -> @Sendable () -> String {
        let (limit, interval) = (machine.limit, machine.interval)
        return { "waits for the rate: \(limit) in \(interval)" }
    }
}
