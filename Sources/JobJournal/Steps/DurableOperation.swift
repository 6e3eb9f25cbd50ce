import Foundation
import JobKit
import Synchronization

// Operation forces @unchecked. All that changes is an atomic byte, and what `main()` and then the
// work or the job's serial callbacks touch.
/// A step of a ``JobJournal``: gives the outcome that is recorded, or works and records its own.
///
/// A step is an operation like any other: it can be tracked, queued, limited, retried, timed,
/// cancelled, observed and explained, or started alone. A step that makes an operation is a job
/// with that one task; a cancel, a maximum runtime, progress, a context and a timeline reach into
/// it.
///
/// It finishes as a success only when its outcome is recorded. It fails with the error of its work;
/// with ``JobJournal/JobJournal/InputChangedError``, ``JobJournal/JobJournal/KeyInUseError`` or ``JobJournal/JobJournal/WriteError``; with the `EncodingError` of an outcome
/// or input that cannot be encoded; and with the `DecodingError` of a recorded outcome that is no
/// `Output`.
///
/// A value that other code gives it with `finish(returning:)` is not recorded.
public final class DurableOperation<Output: Sendable>: ResultJob<Output>, @unchecked Sendable {
    /// The step's key.
    public let key: String

    private let journal: JobJournal
    private let version: Int
    private let input: (@Sendable () throws -> Data)?
    private let work: StepWork<Output>
    private let coding: OutcomeCoding<Output>
    private let stage = Atomic<Stage>(.waiting)
    private var inputDigest: SipHash.Digest?
    private var running: RunningStep?

    private enum Stage: UInt8, AtomicRepresentable {
        case waiting
        case known
        case working
        case recording
    }

    init(
        _ key: String,
        in journal: JobJournal,
        version: Int,
        input: (@Sendable () throws -> Data)? = nil,
        coding: OutcomeCoding<Output>,
        work: StepWork<Output>
    ) {
        self.key = key
        self.journal = journal
        self.version = version
        self.input = input
        self.coding = coding
        self.work = work
        super.init()
        name = key
    }

    deinit {
        if let running { journal.shell.release(running) }
    }

    /// Whether the step gives an outcome that was recorded before it started; false until then.
    public var wasKnown: Bool { stage.load(ordering: .acquiring) == .known }

    /// Says that the outcome is known, or is being recorded.
    public override var statusNote: String? {
        switch stage.load(ordering: .acquiring) {
        case .known: "known from the journal"
        case .recording: "recording its outcome"
        case .waiting, .working: nil
        }
    }

    /// Gives the recorded outcome, or starts the work.
    public override func main() {
        do {
            let step = journal.name(of: key)
            if let input {
                let data = try input()
                inputDigest = data.withUnsafeBytes { journal.shell.seal.digest(.input, $0) }
            }
            try begin(step)
        } catch {
            finish(with: error)
        }
    }

    private func begin(_ step: StepName) throws {
        let shell = journal.shell
        var passing: RecordIndex.Place?
        while true {
            switch shell.start(step, self, passing: passing) {
            case .fails(let error): throw JobJournal.WriteError(underlying: error)
            case .isInUse: throw JobJournal.KeyInUseError(key: key)
            case .runs(let running):
                self.running = running
                return run(running)
            case .known(let place, let file):
                let known = try shell.read(place, of: step, in: file, readKnown)
                guard let known else {
                    passing = place
                    continue
                }
                stage.store(.known, ordering: .releasing)
                return finish(returning: known)
            }
        }
    }

    /// The recorded value; nil where it is of another version.
    private func readKnown(_ record: OutcomePayload) throws -> Output? {
        guard record.version == version else { return nil }
        guard record.input == inputDigest else { throw JobJournal.InputChangedError(key: key) }
        return try coding.decode(Data(record.outcome))
    }

    // MARK: Work

    private func run(_ running: RunningStep) {
        stage.store(.working, ordering: .releasing)
        let shell = journal.shell
        let context = StepContext(running, version: version, sealedBy: shell.seal)
        shell.watch?.stepRuns(key, path: running.step.path.bytes, version: version)
        switch work {
        case .body(let body):
            startWork { [self] in
                do {
                    if running.mustTellOfBeginning {
                        try await shell.write(shell.beginning(of: running))
                    }
                    let value = try await body(context)
                    if let entry = try entry(value, running) {
                        try await shell.write(entry)
                        recorded(running)
                    }
                    endWork { self.finish(returning: value) }
                } catch {
                    endWork { self.finish(with: error) }
                }
            }
        case .making(let make):
            write(running.mustTellOfBeginning ? shell.beginning(of: running) : nil, "beginning") {
                step in step.follow(make(context), running)
            }
        }
    }

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

    private func record(_ result: Result<Output, any Error>, _ running: RunningStep) {
        do {
            let value = try result.get()
            stage.store(.recording, ordering: .releasing)
            write(try entry(value, running), "recording") { step in
                step.stage.store(.working, ordering: .releasing)
                step.recorded(running)
                step.finish(returning: value)
            }
        } catch {
            finish(with: error)
        }
    }

    private func recorded(_ running: RunningStep) {
        // The record has given the key back.
        self.running = nil
        journal.shell.watch?.stepRecorded(path: running.step.path.bytes, version: version)
    }

    /// What records a value; nil where the step has ended meanwhile, and another has its key.
    private func entry(_ value: Output, _ running: RunningStep) throws -> JournalEntry? {
        try journal.shell.outcome(
            try coding.encode(value),
            of: running,
            version: version,
            input: inputDigest
        )
    }

    // MARK: Tasks

    /// Writes an entry, here if that is at once, and goes on in a callback of the job.
    private func write(
        _ entry: JournalEntry?,
        _ name: String,
        _ next: @escaping @Sendable (DurableOperation) -> Void
    ) {
        guard var entry else { return next(self) }
        do {
            if try journal.shell.writeAtOnce(&entry) { return next(self) }
        } catch {
            return finish(with: error)
        }
        let waiting = entry
        let shell = journal.shell
        follow(AsyncOperation<Void>(name: name) { try await shell.write(waiting) }) { step in
            // A task that was cancelled means that the step was.
            next(step)
        }
    }

    /// Starts a task of the step on this thread, or where it must wait, when it may.
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
