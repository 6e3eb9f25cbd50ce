import Foundation
import JobKit

// Operation forces @unchecked. A lock guards the state.
/// An attempt for an entry, which the outbox starts without a queue.
final class OutboxOperation: ConcurrentOperation, @unchecked Sendable {
    /// The result of an attempt.
    enum End {
        case notBegun
        case unreadable(any Error, OutboxProgress)
        case succeeded
        /// The outbox has cancelled the attempt, or it began and did not call `perform`.
        case cancelled(OutboxProgress)
        case failed(any Error, OutboxFailureResponse, OutboxProgress)
    }

    private struct Performing {
        let attempt: OutboxAttempt
        let work: OutboxWork
        var progress: OutboxProgress
        /// Nil until the user's code has returned.
        var result: Result<Void, any Error>?
    }

    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var isOutboxCancelling = false
        /// The result if `perform` is not called.
        var endBefore = End.notBegun
        var performing: Performing?
    }

    let id: UInt64
    private let shell: OutboxShell
    private let state = Guarded(State())

    init(_ id: UInt64, _ shell: OutboxShell) {
        self.id = id
        self.shell = shell
        super.init()
        name = "entry \(id)"
        clock = shell.settings.clock
        maximumRuntime = shell.settings.maximumRuntime
        maximumStopTime = shell.settings.maximumStopTime
    }

    override func main() {
        let task = Task { await run() }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    override func willFinish() { shell.attemptFinished(self) }

    override func didCancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Cancels the attempt on another thread, because user code may block that thread.
    func cancelElsewhere() {
        state.withLock { $0.isOutboxCancelling = true }
        DispatchQueue.global().async { [self] in cancel() }
    }

    private func run() async {
        do {
            guard let performing = try await begin() else { return finish() }
            state.withLock { $0.performing = performing }
            try await performing.work.perform(performing.attempt)
            state.withLock { $0.performing?.result = .success(()) }
            finish()
        } catch {
            state.withLock { $0.performing?.result = .failure(error) }
            finish(with: error)
        }
    }

    /// Reads the entry and records the beginning of the attempt.
    ///
    /// Nil if `perform` must not be called.
    private func begin() async throws -> Performing? {
        guard let (slot, file) = shell.slot(id) else { return nil }
        let (entry, work): (OutboxEntryPayload, OutboxWork)
        do {
            entry = try shell.entry(slot, file)
            work = try shell.settings.work(Data(entry.item))
        } catch {
            state.withLock { $0.endBefore = .unreadable(error, slot.progress) }
            return nil
        }
        guard let begun = try await shell.begin(id, entry.deduplicationID) else { return nil }
        var progress = begun.progress
        progress.flags.insert(.mayHaveBegun)
        let unperformed = progress
        state.withLock { $0.endBefore = .cancelled(unperformed) }
        guard shell.mayPerform(id), !Task.isCancelled else { return nil }
        // When the attempt began, the delay before it ended.
        progress.attemptBegan()
        return Performing(attempt: begun.attempt, work: work, progress: progress)
    }

    /// Returns the result of the attempt, once the operation has finished.
    func end(isClosing: Bool) -> End {
        let (performing, endBefore, isOutboxCancelling) = state.withLock {
            ($0.performing, $0.endBefore, $0.isOutboxCancelling)
        }
        guard var performing else { return endBefore }
        var error: any Error = CancellationError()
        if case .failed(let timeout)? = outcome, timeout is OperationTimeoutError {
            error = timeout
        } else {
            if case .success? = performing.result { return .succeeded }
            if isOutboxCancelling || isClosing {
                performing.progress.attemptEnded()
                return .cancelled(performing.progress)
            }
            if case .failure(let failure)? = performing.result { error = failure }
        }
        let response = performing.work.respond(error, performing.attempt)
        return .failed(error, response, performing.progress)
    }
}
