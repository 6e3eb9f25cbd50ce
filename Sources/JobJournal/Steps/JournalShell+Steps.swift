import Foundation
import JobKit

extension JournalShell {
    /// The result of starting a step.
    enum Start {
        case known(RecordLocation)
        case runs(RunningStep)
        case isInUse
        case fails(any Error)
    }

    /// Decides whether a step runs, has a known outcome, or fails.
    ///
    /// `outdated` is a recorded outcome of another version, which is ignored.
    func start(
        _ step: StepName,
        _ operation: ConcurrentOperation,
        ignoring outdated: RecordLocation? = nil
    ) -> Start {
        if let refusal = writer.refusal { return .fails(refusal) }
        return guarded.withLock { state in
            // A step that runs again in another version holds its key, although an outcome is
            // known.
            if state.claims.isInUse(step.digest) { return .isInUse }
            if let location = state.index.locations[step.digest], location != outdated {
                return .known(location)
            }
            let hasBegun = state.index.begun.contains(step.digest)
            let running = RunningStep(
                step: step,
                token: state.claims.claimed(step.digest, by: operation),
                needsStartRecord: !hasBegun && state.claims.needsStartRecord(step.digest),
                mayHaveBegun: isInDoubt || hasBegun
            )
            return .runs(running)
        }
    }

    /// Releases the key of a step that has finished or is deallocated.
    func release(_ step: RunningStep) {
        guarded.withLock { $0.claims.released(step.step.digest, by: step.token) }
    }

    /// Reads the outcome of a known step.
    ///
    /// - Throws: ``JobJournal/JobJournal/DamagedError``, ``JobJournal/JobJournal/WriteError``.
    func read<Value>(
        _ location: RecordLocation,
        of step: StepName,
        _ body: (OutcomePayload) throws -> Value
    ) throws -> Value {
        let result = try file.record(at: location, with: fileKey, url) { record in
            let outcome = OutcomePayload(record.payload)
            guard let outcome, outcome.path.elementsEqual(step.path.bytes) else {
                return nil as Result<Value, any Error>?
            }
            return Result { try body(outcome) }
        }
        return try result.get()
    }

    /// Creates the entry that records the start of a step.
    func startRecord(of step: RunningStep) -> JournalEntry {
        let digest = step.step.digest
        return JournalEntry(Record(.begun, digest.bytes, with: fileKey), .begun(digest))
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
        let (step, limit) = (running.step, home.calls.sizeLimit)
        guard outcome.count <= limit,
            outcome.count + step.path.bytes.count + OutcomePayload.headerSize
                <= Record.longestPayload
        else {
            let name = "the outcome of the step \"\(step.key)\""
            let error = RecordTooLarge(name: name, count: outcome.count, limit: limit)
            throw JobJournal.WriteError(file: url, underlying: error)
        }
        guard guarded.withLock({ $0.claims.isHeld(step.digest, by: running.token) }) else {
            return nil
        }
        let record = outcome.withUnsafeBytes {
            OutcomePayload.record(
                step.path,
                version: version,
                input: input,
                outcome: $0,
                with: fileKey
            )
        }
        let meaning = JournalEntry.Meaning.outcome(
            step.digest,
            scopes: step.scopes,
            token: running.token
        )
        return JournalEntry(record, meaning)
    }
}

/// A step that runs in this session.
struct RunningStep: Sendable {
    let step: StepName
    let token: UInt64
    let needsStartRecord: Bool
    let mayHaveBegun: Bool
}

/// A step's key, path and digests.
struct StepName: Sendable {
    let key: String
    let path: StepPath
    let digest: SipHash.Digest
    let scopes: [SipHash.Digest]
}
