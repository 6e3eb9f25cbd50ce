import Foundation
import JobKit

extension JournalShell {
    /// The result of starting a step.
    enum Start {
        case known(RecordIndex.Place, OpenFile)
        case runs(RunningStep)
        case isInUse
        case fails(any Error)
    }

    /// Decides whether a step runs, has a known outcome, or fails.
    ///
    /// `passing` is a known outcome of another version, which is ignored.
    func start(
        _ step: StepName,
        _ operation: ConcurrentOperation,
        passing: RecordIndex.Place? = nil
    ) -> Start {
        guarded.withLock { decide(step, operation, passing, &$0) }
    }

    private func decide(
        _ step: StepName,
        _ operation: ConcurrentOperation,
        _ passing: RecordIndex.Place?,
        _ state: inout State
    ) -> Start {
        guard let log = state.log else { return .fails(FileIsClosed()) }
        if let refusal = state.writer.refusal { return .fails(refusal) }
        // A step that runs again in another version holds its key, although an outcome is known.
        if state.claims.isInUse(step.digest) { return .isInUse }
        if let place = state.index.places[step.digest], place != passing {
            return .known(place, log.file)
        }
        let running = RunningStep(
            step: step,
            token: state.claims.claimed(step.digest, by: operation),
            mustRecordBeginning: !state.index.begun.contains(step.digest)
                && state.claims.mustRecordBeginning(step.digest),
            mayHaveBegun: isInDoubt || state.index.begun.contains(step.digest)
        )
        return .runs(running)
    }

    /// Releases the key of a step that has finished or is deallocated.
    func release(_ step: RunningStep) {
        guarded.withLock { $0.claims.released(step.step.digest, by: step.token) }
    }

    /// Reads the outcome of a known step.
    ///
    /// - Throws: ``JobJournal/JobJournal/DamagedError``, ``JobJournal/JobJournal/WriteError``.
    func read<Value>(
        _ place: RecordIndex.Place,
        of step: StepName,
        in file: OpenFile,
        _ body: (OutcomePayload) throws -> Value
    ) throws -> Value {
        var pieces = FilePieces(file: file)
        let result: Result<Value, any Error>?
        do {
            result = try pieces.record(at: place, sealedBy: seal) { _, payload in
                guard let outcome = OutcomePayload(payload),
                    outcome.path.elementsEqual(step.path.bytes)
                else { return nil }
                return Result { try body(outcome) }
            }
        } catch {
            throw JobJournal.WriteError(file: url, underlying: error)
        }
        guard let result else {
            throw JobJournal.DamagedError(Damage(offset: place.offset, reason: .check), of: url)
        }
        return try result.get()
    }

    /// Creates the entry that records the beginning of a step.
    func beginning(of step: RunningStep) -> JournalEntry {
        JournalEntry(
            Frame(.begun, step.step.digest.bytes, sealedBy: seal),
            .begun(step.step.digest)
        )
    }

    /// Creates the entry that records a step's outcome.
    ///
    /// Nil if another step holds the key by now.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError`` if the outcome is too large.
    func outcome(
        _ outcome: Data,
        of running: RunningStep,
        version: Int,
        input: SipHash.Digest?
    ) throws -> JournalEntry? {
        let step = running.step
        guard outcome.count <= RecordTooLarge.limit,
            outcome.count + step.path.bytes.count + OutcomePayload.headerSize
                <= Frame.longestPayload
        else {
            throw JobJournal.WriteError(
                file: url,
                underlying: RecordTooLarge(
                    name: "the outcome of the step \"\(step.key)\"",
                    count: outcome.count
                )
            )
        }
        guard guarded.withLock({ $0.claims.isHeld(step.digest, by: running.token) }) else {
            return nil
        }
        let frame = outcome.withUnsafeBytes {
            OutcomePayload.frame(
                step.path,
                version: version,
                input: input,
                outcome: $0,
                sealedBy: seal
            )
        }
        let meaning = JournalEntry.Meaning.outcome(
            step.digest,
            scopes: step.scopes,
            token: running.token
        )
        return JournalEntry(frame, meaning)
    }
}

/// A step that runs in this session.
struct RunningStep: Sendable {
    let step: StepName
    let token: UInt64
    let mustRecordBeginning: Bool
    let mayHaveBegun: Bool
}

/// A step's key, path and digests.
struct StepName: Sendable {
    let key: String
    let path: StepPath
    let digest: SipHash.Digest
    let scopes: [SipHash.Digest]
}
