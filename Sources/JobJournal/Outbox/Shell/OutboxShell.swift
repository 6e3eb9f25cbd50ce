import Dispatch
import Foundation
import JobKit

/// Owns the lock of an outbox, and carries out the decisions of its machine.
///
/// No user code and no system call runs under the lock. Only the thread that has the turn writes:
/// it makes decisions, writes, and then changes the machine.
final class OutboxShell: Sendable {
    struct State {
        var machine: OutboxStateMachine
        var writer = WriterStateMachine<OutboxRequest>()
        /// Nil while a thread uses it, and after the outbox was closed.
        var log: RecordLog?
        /// The file from which items are read.
        ///
        /// Nil after the outbox was closed.
        var file: OpenFile?
        var disk = OutboxDisk()
        var attempts: [UInt64: OutboxOperation] = [:]
        var watchers = OutboxWatchers()
        var timer: (dueAt: Double, timer: OutboxTimer)?
        var isClosing = false
        var isClosed = false
    }

    let name: String
    let settings: OutboxSettings
    let seal: JournalSeal
    let home: JournalFolder
    let fileName: JournalFileName
    let guarded: Guarded<State>
    let queue = DispatchQueue(label: "JobOutbox")

    init(_ opening: OutboxOpening, name: String, _ settings: OutboxSettings) {
        self.name = name
        self.settings = settings
        seal = opening.log.tail.seal
        home = opening.folder
        fileName = opening.name
        var state = State(machine: opening.machine, log: opening.log, file: opening.log.file)
        state.machine.reasons = settings.suspendedFor
        state.watchers.openingEvents = opening.events
        guarded = Guarded(state)
    }

    var url: URL { home.url.appendingPathComponent(fileName.text) }

    func time() -> OutboxStateMachine.Time { settings.time() }

    func writeError(_ error: any Error) -> JobJournal.WriteError {
        error as? JobJournal.WriteError ?? JobJournal.WriteError(file: url, underlying: error)
    }

    // MARK: Attempts

    /// Starts all attempts that may start, and resumes the waiters if the outbox is idle.
    func startAttempts() {
        let time = time()
        guarded.withLock { $0.machine.timePassed(time) }
        while true {
            let id = guarded.withLock { $0.machine.nextAttempt() }
            guard let id else { break }
            let attempt = OutboxOperation(id, self)
            guarded.withLock { $0.attempts[id] = attempt }
            attempt.start()
        }
        setTimer()
        compactIfNeeded()
        let waiters = guarded.withLock { state -> [CheckedContinuation<Void, Never>] in
            // The thread that has the turn repeats this check afterwards.
            let isIdle = state.machine.activeCount == 0 && !state.writer.hasTurn
            guard isIdle, !state.disk.isCompacting, !state.machine.canStart() else { return [] }
            return state.watchers.takeIdleWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Sets the timer to the end of the next delay.
    private func setTimer() {
        let (dueAt, old) = guarded.withLock { state -> (Double?, OutboxTimer?) in
            let dueAt = state.isClosing ? nil : state.machine.nextDue()
            guard dueAt != state.timer?.dueAt else { return (nil, nil) }
            defer { state.timer = nil }
            return (dueAt, state.timer?.timer)
        }
        old?.finish()
        guard let dueAt else { return }
        let timer = OutboxTimer(on: settings.clock)
        let isFirst = guarded.withLock { state in
            guard state.timer == nil, !state.isClosing else { return false }
            state.timer = (dueAt, timer)
            return true
        }
        guard isFirst else {
            timer.finish()
            return setTimer()
        }
        timer.wait(dueAt - time().clock) { [weak self] in
            self?.guarded
                .withLock { state in
                    if state.timer?.timer === timer { state.timer = nil }
                }
            self?.delayPassed(dueAt)
        }
    }

    private func delayPassed(_ dueAt: Double) {
        var time = time()
        // The timer has waited until this time, even if the clock now shows less.
        time.clock = max(time.clock, dueAt)
        guarded.withLock { $0.machine.timePassed(time) }
        startAttempts()
    }

    // MARK: Suspension and delays

    func setReason(_ reason: String, _ isSet: Bool) {
        guarded.withLock { state in
            if isSet {
                state.machine.reasons.insert(reason)
            } else {
                state.machine.reasons.remove(reason)
            }
        }
        startAttempts()
    }

    func retryNow() {
        let time = time()
        guarded.withLock { $0.machine.delaysEnded(time) }
        startAttempts()
    }

    // MARK: The end

    func close(stopWithin limit: Duration) async {
        let (attempts, isFirst) = guarded.withLock { state in
            defer {
                state.isClosing = true
                state.machine.isHeld = true
            }
            return (Array(state.attempts.values), !state.isClosing)
        }
        guard isFirst else { return await waitUntilClosed() }
        for attempt in attempts { attempt.cancelElsewhere() }
        setTimer()
        if !attempts.isEmpty { await waitForAttempts(limit) }
        try? await write { [self] log in
            let ended = guarded.withLock { state in
                state.machine.performing.map { slot in
                    var progress = slot.progress
                    progress.attemptEnded()
                    return OutboxChangeRecord(id: slot.id, progress: progress)
                }
            }
            var frames = ended.map { $0.frame(sealedBy: seal) }
            if !frames.isEmpty { try log.append(&frames) }
            if settings.isSynced { try log.sync() }
            let isEmpty = guarded.withLock { $0.machine.isEmpty }
            if isEmpty, log.tail.end > OutboxDisk.emptySize { try? rewrite(&log) }
        }
        await endTurns()
        let (file, watchers, timer) = guarded.withLock { state in
            state.isClosed = true
            state.log = nil
            state.disk.timer?.finish()
            return (state.file.take(), state.watchers.takeAll(), state.timer.take())
        }
        timer?.timer.finish()
        file?.unlock()
        watchers.end()
    }

    /// Refuses new requests, and waits until the last one is done.
    private func endTurns() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFree = guarded.withLock { state in
                state.writer.closed(FileIsClosed())
                if state.writer.hasTurn { state.watchers.turns.append(continuation) }
                return !state.writer.hasTurn
            }
            if isFree { continuation.resume() }
        }
    }

    private func waitUntilClosed() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isClosed = guarded.withLock { state in
                if !state.isClosed { state.watchers.closing.append(continuation) }
                return state.isClosed
            }
            if isClosed { continuation.resume() }
        }
    }

    /// Waits until no attempt runs, or until the limit has passed.
    ///
    /// The limit is measured in real time and on the clock, and the earlier end counts.
    private func waitForAttempts(_ limit: Duration) async {
        let gate = AttemptsGate()
        let clocks: [any Clock<Duration>] =
            settings.clock is ContinuousClock
            ? [settings.clock] : [settings.clock, ContinuousClock()]
        let timers = clocks.map { OutboxTimer(on: $0) }
        for timer in timers { timer.wait(limit) { gate.open() } }
        let isIdle = guarded.withLock { state in
            state.watchers.attempts = gate
            return state.attempts.isEmpty
        }
        if isIdle { gate.open() }
        await gate.wait()
        for timer in timers { timer.finish() }
    }
}

/// Makes a closing outbox wait for its attempts.
final class AttemptsGate: Sendable {
    private let state = Guarded<(isOpen: Bool, waiter: CheckedContinuation<Void, Never>?)>(
        (false, nil)
    )

    func open() {
        let waiter = state.withLock { state in
            state.isOpen = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiter = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// A timer that uses a JobKit operation to wait on a clock.
final class OutboxTimer: Sendable {
    private let operation = EventlessOperation()

    init(on clock: any Clock<Duration>) {
        operation.clock = clock
        operation.start()
    }

    func wait(_ seconds: Double, then body: @escaping @Sendable () -> Void) {
        let microseconds = (min(max(seconds, 0), 4e9) * 1e6).rounded()
        wait(.microseconds(Int64(microseconds)), then: body)
    }

    func wait(_ delay: Duration, then body: @escaping @Sendable () -> Void) {
        operation.perform(after: delay) { [self] in
            finish()
            body()
        }
    }

    func finish() { operation.finish() }
}

// Operation forces @unchecked. It has no state.
/// An operation that executes until `finish()` is called.
private final class EventlessOperation: ConcurrentOperation, @unchecked Sendable {
    override func main() {}
    override func didCancel() { finish() }
}
