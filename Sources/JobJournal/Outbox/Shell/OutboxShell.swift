import Foundation
import JobKit

/// Owns the lock of an outbox, and carries out the decisions of its machine.
///
/// No user code and no system call runs under the lock. Only one thread at a time writes: it makes
/// decisions, writes, and then changes the machine.
final class OutboxShell: Sendable {
    struct State {
        var machine: OutboxStateMachine
        /// The file from which items are read.
        ///
        /// Nil after the outbox was closed.
        var file: OpenFile?
        var disk = OutboxDisk()
        var attempts: [UInt64: OutboxOperation] = [:]
        /// Fulfilled when no attempt runs, while the outbox is closing.
        var attemptsEnded: Promise?
        var watchers = OutboxWatchers()
        /// Waits for the end of the next delay, or until writing is tried again.
        var timer: OutboxTimer?
        var isClosing = false
        var isClosed = false
    }

    let name: String
    let settings: OutboxSettings
    let fileKey: FileKey
    let home: JournalFolder
    let guarded: Guarded<State>
    let writer: FileWriter<OutboxShell>
    private let closed = Promise()

    init(at folder: URL, name: String, _ settings: OutboxSettings, calls: FileCalls) throws {
        let fileName = JournalFileName(name, suffix: ".outbox")
        let opening = try JournalFolder.open(folder, fileName, of: name, calls: calls) {
            try OutboxOpening($0, $1, name: name, settings)
        }
        self.name = name
        self.settings = settings
        home = opening.home
        fileKey = opening.log.tail.fileKey
        writer = FileWriter(opening.log)
        var state = State(machine: opening.machine, file: opening.log.file)
        state.machine.reasons = settings.options.suspendedFor
        state.watchers.openingEvents = opening.events
        guarded = Guarded(state)
    }

    var url: URL { home.file }

    func time() -> OutboxStateMachine.Time { settings.time() }

    func writeError(_ error: any Error) -> JobJournal.WriteError {
        error as? JobJournal.WriteError ?? JobJournal.WriteError(file: url, underlying: error)
    }

    // MARK: Attempts

    /// Starts all attempts that may start, and resumes the waiters if the outbox is idle.
    func startAttempts() {
        let time = time()
        while let id = guarded.withLock({ state -> UInt64? in
            state.machine.timePassed(time)
            return state.machine.nextAttempt()
        }) {
            let attempt = OutboxOperation(id, self)
            guarded.withLock { $0.attempts[id] = attempt }
            attempt.start()
        }
        setTimer()
        compactIfNeeded()
        // A thread that writes repeats this check afterwards.
        guard !writer.isWriting else { return }
        let waiters = guarded.withLock { state -> [Promise] in
            guard state.machine.activeCount == 0, state.disk.compaction == nil,
                !state.machine.canStart()
            else { return [] }
            return exchange(&state.watchers.idle, with: [])
        }
        for waiter in waiters { waiter.fulfill() }
    }

    /// Sets the timer to the next time at which something must be done.
    private func setTimer() {
        let (old, new) = guarded.withLock { state -> (OutboxTimer?, OutboxTimer?) in
            let due = min(state.machine.nextDue() ?? .infinity, state.disk.retryAt)
            let dueAt = state.isClosing || due == .infinity ? nil : due
            let old = state.timer
            guard dueAt != old?.dueAt else { return (nil, nil) }
            state.timer = dueAt.map { OutboxTimer(on: settings.options.clock, dueAt: $0) }
            return (old, state.timer)
        }
        old?.finish()
        guard let new else { return }
        new.wait(new.dueAt - time().clock) { [weak self] in self?.delayPassed(new) }
    }

    private func delayPassed(_ timer: OutboxTimer) {
        var time = time()
        // The timer has waited until this time, even if the clock now shows less.
        time.clock = max(time.clock, timer.dueAt)
        let writes = guarded.withLock { state in
            if state.timer === timer { state.timer = nil }
            state.machine.timePassed(time)
            guard state.disk.retryAt <= time.clock else { return false }
            state.disk.retryAt = .infinity
            return true
        }
        if writes { submit(OutboxRequest { _ in }) }
        startAttempts()
    }

    /// Makes a change that is not stored, and starts the attempts that may start afterwards.
    func changeUnstored(_ body: (inout OutboxStateMachine) -> Void) {
        guarded.withLock { body(&$0.machine) }
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
        guard isFirst else {
            await closed.wait()
            return
        }
        for attempt in attempts { attempt.cancelElsewhere() }
        setTimer()
        if !attempts.isEmpty { await waitForAttempts(limit) }
        try? await write { [self] log in try writeEnd(&log) }
        _ = await writer.close()
        await guarded.withLock { $0.disk.compaction }?.wait()
        let (file, watchers) = guarded.withLock { state in
            state.isClosed = true
            return (state.file.take(), state.watchers)
        }
        try? home.unlinkReplacement()
        file?.unlock()
        watchers.end()
        closed.fulfill()
    }

    /// Records the ends of attempts that still run, and compacts the file of an empty outbox.
    private func writeEnd(_ log: inout RecordLog) throws {
        let (ended, isEmpty) = guarded.withLock { state in
            let ended = state.machine.performing.map { slot in
                var progress = slot.progress
                progress.attemptEnded()
                return OutboxEntryPayload(id: slot.id, progress: progress)
            }
            return (ended, state.machine.isEmpty)
        }
        var records = ended.map { $0.record(.change, with: fileKey) }
        if !records.isEmpty { try log.append(&records) }
        if settings.isSynced { try log.sync() }
        if isEmpty, log.tail.end > OutboxDisk.emptySize { try? rewrite(&log) }
    }

    /// Waits until no attempt runs, or until the limit has passed.
    ///
    /// The limit is measured in real time and on the clock, and the earlier end counts.
    private func waitForAttempts(_ limit: Duration) async {
        let ended = Promise()
        var timers = [OutboxTimer(on: settings.options.clock)]
        if !(settings.options.clock is ContinuousClock) {
            timers.append(OutboxTimer(on: ContinuousClock()))
        }
        for timer in timers { timer.wait(limit / .seconds(1)) { ended.fulfill() } }
        let isIdle = guarded.withLock { state in
            state.attemptsEnded = ended
            return state.attempts.isEmpty
        }
        if isIdle { ended.fulfill() }
        await ended.wait()
        for timer in timers { timer.finish() }
    }
}

// Operation forces @unchecked. It has no mutable state.
/// An operation that only waits on a clock.
final class OutboxTimer: ConcurrentOperation, @unchecked Sendable {
    /// The end of the delay, on the session's clock.
    let dueAt: Double

    init(on clock: any Clock<Duration>, dueAt: Double = 0) {
        self.dueAt = dueAt
        super.init()
        self.clock = clock
    }

    override func main() {}

    func wait(_ seconds: Double, then body: @escaping @Sendable () -> Void) {
        start()
        let microseconds = (min(max(seconds, 0), 4e9) * 1e6).rounded()
        perform(after: .microseconds(Int64(microseconds))) { [self] in
            finish()
            body()
        }
    }
}
