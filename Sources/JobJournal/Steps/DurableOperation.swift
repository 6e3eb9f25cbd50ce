import Foundation
import JobKit
import Synchronization

// Operation forces @unchecked. The only mutable state is an atomic byte, a request behind a lock,
// and properties that are used by `main()` first and then by the work or the job's serial
// callbacks.
/// A step of a ``JobJournal``, which returns its recorded outcome or works and records one.
///
/// A step is an operation like any other. It can be tracked, queued, limited, retried, timed,
/// cancelled, observed and explained, or started alone. If its closure creates an operation, the
/// step is a job with that one task. Therefore, cancellation, a maximum runtime, progress, a
/// context and a timeline reach the operation.
///
/// A step succeeds only when its outcome is recorded. It fails with the error of its work, or with
/// one of these:
/// - ``JobJournal/JobJournal/InputChangedError``, ``JobJournal/JobJournal/KeyInUseError`` or
///   ``JobJournal/JobJournal/WriteError``
/// - the `EncodingError` of an input or outcome that cannot be encoded
/// - the `DecodingError` of a recorded outcome that does not decode as `Output`
///
/// A value that other code passes to `finish(returning:)` is not recorded. Neither is anything that
/// the body of a step returns after the step was cancelled, has failed or was abandoned.
public final class DurableOperation<Output: Sendable>: ResultJob<Output>, @unchecked Sendable {
    /// The step's key.
    public let key: String

    private let journal: JobJournal
    private let version: Int
    /// Nil once the step is about to finish.
    private let request: Mutex<StepRequest?>
    private let coding: OutcomeCoding<Output>
    private let stage = Atomic<StepStage>(.waiting)
    private var inputDigest: SipHash.Digest?
    private var running: RunningStep?

    init(
        _ key: String,
        in journal: JobJournal,
        _ version: Int,
        _ input: (any Encodable & Sendable)?,
        _ coding: OutcomeCoding<Output>,
        _ work: StepWork<Output>
    ) {
        self.key = key
        self.journal = journal
        self.version = version
        request = Mutex(
            StepRequest(input: input) { step, running in
                (step as? DurableOperation)?.run(running, work)
            }
        )
        self.coding = coding
        super.init()
        name = key
        becomesStep()
    }

    deinit {
        if let running { journal.shell.release(running) }
    }

    /// Whether the step returned an outcome that was recorded before it started.
    ///
    /// False until the step has read that outcome.
    public var wasKnown: Bool { stage.load(ordering: .acquiring) == .known }

    /// Reports that the outcome is known, or is being recorded.
    public override var statusNote: String? {
        switch stage.load(ordering: .acquiring) {
        case .known: "known from the journal"
        case .recording: "recording its outcome"
        case .waiting, .working: nil
        }
    }

    /// Returns the recorded outcome, or starts the work.
    public override func main() {
        guard let request = request.withLock({ $0 }) else { return }
        do {
            let step = journal.name(of: key)
            if let input = request.input {
                let data = try Coders.encoded(input, by: Coders.input)
                inputDigest = data.withUnsafeBytes { journal.shell.fileKey.digest(.input, $0) }
            }
            try begin(step, request)
        } catch {
            finish(with: error)
        }
    }

    /// Releases the closure and the input, which the step no longer needs.
    public override func willFinish() {
        let released = request.withLock { $0.take() }
        withExtendedLifetime(released) {}
    }

    private func begin(_ step: StepName, _ request: StepRequest) throws {
        let shell = journal.shell
        var outdated: RecordLocation?
        while true {
            switch shell.start(step, self, ignoring: outdated) {
            case .fails(let error): throw JobJournal.WriteError(file: shell.url, underlying: error)
            case .isInUse: throw JobJournal.KeyInUseError(key: key)
            case .runs(let running):
                self.running = running
                return request.run(self, running)
            case .known(let location):
                let known = try shell.read(location, of: step, readKnown)
                guard let known else {
                    outdated = location
                    continue
                }
                stage.store(.known, ordering: .releasing)
                return finish(returning: known)
            }
        }
    }

    /// Returns the recorded value.
    ///
    /// Nil if another version of the step has recorded it.
    private func readKnown(_ record: OutcomePayload) throws -> Output? {
        guard record.version == version else { return nil }
        guard record.input == inputDigest else { throw JobJournal.InputChangedError(key: key) }
        return try coding.decode(Data(record.outcome))
    }

    // MARK: Work

    private func run(_ running: RunningStep, _ work: StepWork<Output>) {
        stage.store(.working, ordering: .releasing)
        let shell = journal.shell
        let context = StepContext(running, version: version, with: shell.fileKey)
        shell.watch?.stepRuns(key, path: running.step.path.bytes, version: version)
        switch work {
        case .body(let body):
            startWork { [self] in
                do {
                    if running.needsStartRecord {
                        try await shell.write(shell.startRecord(of: running))
                    }
                    let value = try await body(context)
                    let encoded = try coding.encode(value)
                    // If the step has ended, its Swift task was cancelled, and nothing is recorded
                    // (S3).
                    try Task.checkCancellation()
                    if let entry = try entry(encoded, running) {
                        try await shell.write(entry)
                        recorded(running)
                    }
                    endWork { self.finish(returning: value) }
                } catch {
                    endWork { self.finish(with: error) }
                }
            }
        case .making(let make):
            write(running.needsStartRecord ? shell.startRecord(of: running) : nil, "beginning") {
                step in step.follow(make(context), running)
            }
        }
    }

    /// Runs the operation that the closure has created, and gives its outcome to the step.
    private func follow(_ made: MadeOperation<Output>, _ running: RunningStep) {
        follow(made.operation) { step in
            switch made.operation.outcome {
            case .succeeded:
                let missing = MissingResultError(name: step.label)
                step.record(made.result() ?? .failure(missing), running)
            case .cancelled: step.finish(with: CancellationError())
            case .failed(let error): step.finish(with: error)
            case nil: break
            }
        }
    }

    /// Records the value of the operation, and then finishes the step with it.
    private func record(_ result: Result<Output, any Error>, _ running: RunningStep) {
        do {
            let value = try result.get()
            stage.store(.recording, ordering: .releasing)
            let encoded = try coding.encode(value)
            write(try entry(encoded, running), "recording") { step in
                step.stage.store(.working, ordering: .releasing)
                step.recorded(running)
                step.finish(returning: value)
            }
        } catch {
            finish(with: error)
        }
    }

    private func recorded(_ running: RunningStep) {
        // Recording the outcome has released the key.
        self.running = nil
        journal.shell.watch?.stepRecorded(path: running.step.path.bytes, version: version)
    }

    /// Creates the entry that records a value.
    ///
    /// Nil if the step has ended and another step has its key.
    private func entry(_ outcome: Data, _ running: RunningStep) throws -> JournalEntry? {
        guard !isCancelled else { throw CancellationError() }
        return try journal.shell.outcome(
            outcome,
            of: running,
            version: version,
            input: inputDigest
        )
    }

    // MARK: Tasks

    /// Writes an entry, at once if possible, and continues in a callback of the job.
    private func write(
        _ entry: JournalEntry?,
        _ name: String,
        _ next: @escaping @Sendable (DurableOperation) -> Void
    ) {
        guard let entry else { return next(self) }
        let shell = journal.shell
        shell.submit(entry)
        if let failure = entry.written.value {
            do { try shell.check(failure) } catch { return finish(with: error) }
            return next(self)
        }
        let writing = AsyncOperation<Void>(name: name) {
            try shell.check(await entry.written.wait())
        }
        // A failed write has failed the step, and a write is cancelled only with the step. Both end
        // the callbacks, so the entry has been written here.
        follow(writing) { step in next(step) }
    }

    /// Starts a task of the step on this thread, or later if it must wait.
    private func follow(
        _ task: ConcurrentOperation,
        _ completion: @escaping @Sendable (DurableOperation) -> Void
    ) {
        guard !isSuspended, task.isReady else {
            return trackAndQueue(task) { [self] _ in completion(self) }
        }
        track(task) { [self] _ in completion(self) }
        task.start()
    }
}

/// The values that the user has passed to a step.
///
/// This type and ``StepStage`` are not generic, because the layout of a generic one is looked up at
/// each use.
private struct StepRequest: Sendable {
    let input: (any Encodable & Sendable)?
    /// Runs the work as the given step.
    let run: @Sendable (ConcurrentOperation, RunningStep) -> Void
}

/// The progress of a step, for its status note.
private enum StepStage: UInt8, AtomicRepresentable {
    case waiting
    case known
    case working
    case recording
}
