import Foundation
import JobKit

// Operation forces @unchecked. A lock guards the state.
/// An attempt for an entry, which the outbox starts without a queue.
final class OutboxOperation: ConcurrentOperation, @unchecked Sendable {
    private struct State {
        /// The result until `perform` is called.
        ///
        /// Nil if no attempt has begun.
        var end: OutboxAttemptEnd?
        /// Nil until `perform` is called.
        var performing: (work: OutboxWork, attempt: OutboxAttempt, progress: OutboxProgress)?
        var task: Task<Void, Never>?
        var isStoppedByOutbox = false
        /// Nil until the user's code has returned.
        var result: Result<Void, any Error>?
    }

    let id: UInt64
    private let shell: OutboxShell
    private let state = Guarded(State())

    init(_ id: UInt64, _ shell: OutboxShell) {
        self.id = id
        self.shell = shell
        super.init()
        name = "entry \(id)"
        clock = shell.settings.options.clock
        maximumRuntime = shell.settings.options.maximumRuntime
        maximumStopTime = shell.settings.options.maximumStopTime
    }

    override func main() {
        let task = Task { await run() }
        state.withLock { $0.task = task }
        // If the operation was cancelled before, `didCancel()` found no Swift task.
        if isCancelled { task.cancel() }
    }

    override func didCancel() { state.withLock { $0.task }?.cancel() }

    override func willFinish() { shell.attemptFinished(self) }

    /// Cancels the attempt on another thread, because user code may block that thread.
    func cancelElsewhere() {
        state.withLock { $0.isStoppedByOutbox = true }
        DispatchQueue.global().async { [self] in cancel() }
    }

    private func run() async {
        do {
            guard let (work, attempt) = try await begin() else { return finish() }
            try await work.perform(attempt)
            state.withLock { $0.result = .success(()) }
            finish()
        } catch {
            state.withLock { $0.result = .failure(error) }
            finish(with: error)
        }
    }

    /// Reads the entry and records the beginning of the attempt.
    ///
    /// Nil if `perform` must not be called.
    private func begin() async throws -> (OutboxWork, OutboxAttempt)? {
        guard let (slot, file) = shell.slot(id) else { return nil }
        let (entry, work): (OutboxEntryPayload, OutboxWork)
        do {
            entry = try shell.entry(slot, file)
            work = try shell.settings.work(Data(entry.item))
        } catch is JobJournal.WriteError {
            // The disk may return the record later.
            shell.readingFailed(id)
            return nil
        } catch {
            var progress = slot.progress
            progress.flags.formUnion([.parked, .unreadable])
            let end = OutboxAttemptEnd(progress, .failed(.park), error)
            state.withLock { $0.end = end }
            return nil
        }
        guard let begun = try await shell.begin(id, entry.deduplicationID) else { return nil }
        var progress = begun.progress
        progress.flags.insert(.mayHaveBegun)
        let end = OutboxAttemptEnd(progress)
        state.withLock { $0.end = end }
        guard shell.mayPerform(id), !Task.isCancelled else { return nil }
        // When the attempt began, the delay before it ended.
        progress.attemptBegan()
        let performing = (work, begun.attempt, progress)
        state.withLock { $0.performing = performing }
        return (work, begun.attempt)
    }

    /// Returns the result of the attempt, once the operation has finished.
    ///
    /// Nil if no attempt has begun.
    func end(isClosing: Bool, now: Double) -> OutboxAttemptEnd? {
        let state = state.withLock { $0 }
        guard let (work, attempt, before) = state.performing else { return state.end }
        var progress = before
        var failure: any Error = CancellationError()
        if case .failed(let timeout)? = outcome, timeout is OperationTimeoutError {
            failure = timeout
        } else if case .success? = state.result {
            return OutboxAttemptEnd(nil, .finished)
        } else if state.isStoppedByOutbox || isClosing {
            progress.attemptEnded()
            return OutboxAttemptEnd(progress)
        } else if case .failure(let error)? = state.result {
            failure = error
        }
        let response = work.respond(failure, attempt)
        let policy = shell.settings.options.retryPolicy
        return progress.attemptFailed(with: failure, response, policy, now: now)
    }
}

/// The result of an attempt, which the outbox records.
struct OutboxAttemptEnd: Sendable {
    /// The entry's new state, or nil if the entry leaves.
    let progress: OutboxProgress?
    /// The event that is sent, if there is one.
    let event: OutboxEvent.Kind?
    let error: String?

    init(
        _ progress: OutboxProgress?,
        _ event: OutboxEvent.Kind? = nil,
        _ error: (any Error)? = nil
    ) {
        self.progress = progress
        self.event = event
        self.error = error.map { OutboxEvent.text(of: $0) }
    }
}

extension OutboxProgress {
    /// Returns the effect of a failure, for which `onFailure` has returned a response.
    fileprivate func attemptFailed(
        with error: any Error,
        _ response: OutboxFailureResponse,
        _ policy: RetryPolicy,
        now: Double
    ) -> OutboxAttemptEnd {
        func seconds(_ given: Duration?, after count: Int32) -> Double? {
            let delay = given ?? policy.nextDelay(afterAttempt: Int(count), error: error)
            return delay.map { $0 / .seconds(1) }
        }
        var next = self
        next.attemptEnded()
        next.failures += 1
        var delay: Double?
        switch response {
        case .suspend: return OutboxAttemptEnd(next, .failed(response), error)
        case .drop: return OutboxAttemptEnd(nil, .failed(response), error)
        case .retryUncharged(let given):
            next.uncharged += 1
            delay = seconds(given, after: next.uncharged) ?? delayBefore
        case .retry, .park, .parkAside:
            next.charged += 1
            next.uncharged = 0
            if case .retry(let given) = response { delay = seconds(given, after: next.charged) }
        }
        if let delay {
            next.delayed(by: delay, now: now)
            return OutboxAttemptEnd(next, .failed(response), error)
        }
        next.park(aside: response == .parkAside)
        return OutboxAttemptEnd(next, .failed(next.isAside ? .parkAside : .park), error)
    }
}
