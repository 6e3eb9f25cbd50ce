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

    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        /// Nil until the user's code has returned.
        var result: Result<Void, any Error>?
        var unreadable: (error: any Error, progress: OutboxProgress)?
        var attempt: OutboxAttempt?
        var work: OutboxWork?
        var progress: OutboxProgress?
        var isOutboxCancelling = false
        var hasPerformed = false
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
            guard let slot = shell.slot(id) else { return finish() }
            let (record, work): (OutboxEntryRecord, OutboxWork)
            do {
                record = try shell.record(slot.value, slot.file)
                work = try shell.settings.work(Data(record.item))
            } catch {
                state.withLock { $0.unreadable = (error, slot.value.progress) }
                return finish()
            }
            guard let (attempt, progress) = try await shell.begin(id, record.deduplicationID) else {
                return finish()
            }
            state.withLock { state in
                (state.attempt, state.work, state.progress) = (attempt, work, progress)
            }
            guard shell.mayPerform(id), !Task.isCancelled else { return finish() }
            state.withLock { $0.hasPerformed = true }
            try await work.perform(attempt)
            state.withLock { $0.result = .success(()) }
            finish()
        } catch {
            state.withLock { $0.result = .failure(error) }
            finish(with: error)
        }
    }

    /// Returns the result of the attempt, once the operation has finished.
    func end(isClosing: Bool) -> End {
        let state = state.withLock { $0 }
        if let (error, progress) = state.unreadable { return .unreadable(error, progress) }
        guard let attempt = state.attempt, let work = state.work, var progress = state.progress
        else {
            return .notBegun
        }
        progress.flags.insert(.mayHaveBegun)
        guard state.hasPerformed else { return .cancelled(progress) }
        // When the attempt began, the delay before it ended.
        var begun = progress
        begun.attemptBegan()
        if case .failed(let error)? = outcome, error is OperationTimeoutError {
            return failed(error, attempt, work, begun)
        }
        if case .success = state.result { return .succeeded }
        if state.isOutboxCancelling || isClosing {
            begun.attemptEnded()
            return .cancelled(begun)
        }
        guard case .failure(let error) = state.result else {
            return failed(CancellationError(), attempt, work, begun)
        }
        return failed(error, attempt, work, begun)
    }

    private func failed(
        _ error: any Error,
        _ attempt: OutboxAttempt,
        _ work: OutboxWork,
        _ progress: OutboxProgress
    ) -> End {
        .failed(error, work.respond(error, attempt), progress)
    }
}
