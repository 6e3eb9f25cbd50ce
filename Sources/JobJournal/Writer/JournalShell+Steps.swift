import Foundation
import JobKit

extension JournalShell {
    /// What a step that starts is told.
    enum Start {
        case known(RecordIndex.Place, OpenFile)
        case runs(RunningStep)
        case isInUse
        case fails(any Error)
    }

    /// Decides about a step that starts; `passing` is a known outcome that does not count, because
    /// it is of another version.
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
        guard let file = state.file else { return .fails(JournalIsClosed()) }
        if let refusal = state.writer.refusal { return .fails(refusal) }
        // A step that runs again in another version has its key although an outcome is known.
        if state.claims.isInUse(step.digest) { return .isInUse }
        if let place = state.index.places[step.digest], place != passing {
            return .known(place, file)
        }
        let running = RunningStep(
            step: step,
            token: state.claims.claimed(step.digest, by: operation),
            mustTellOfBeginning: !state.index.begun.contains(step.digest)
                && state.claims.mustTellOfBeginning(step.digest),
            mayHaveBegun: isInDoubt || state.index.begun.contains(step.digest)
        )
        return .runs(running)
    }

    /// The step has finished, or is gone.
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
        let bytes: [UInt8]
        do {
            bytes = try [UInt8](unsafeUninitializedCapacity: place.size) { buffer, count in
                let all = UnsafeMutableRawBufferPointer(buffer)
                try file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: all[..<place.size]),
                    at: place.offset
                )
                count = place.size
            }
        } catch {
            throw JobJournal.WriteError(underlying: error)
        }
        return try bytes.withUnsafeBytes { all in
            let payload = UnsafeRawBufferPointer(rebasing: all[Frame.headerSize...])
            guard let header = Frame.Header(all, at: place.offset, sealedBy: seal),
                header.payloadCheck == seal.digest(.payload, payload).low,
                let outcome = OutcomePayload(payload),
                outcome.path.elementsEqual(step.path.bytes)
            else {
                throw JobJournal.DamagedError(file: url, offset: place.offset, reason: .check)
            }
            return try body(outcome)
        }
    }

    /// The entry that says that a step begins.
    func beginning(of step: RunningStep) -> JournalEntry {
        JournalEntry(
            Frame(.begun, step.step.digest.bytes, sealedBy: seal),
            .begun(step.step.digest)
        )
    }

    /// The entry that records a step's outcome; nil where another step has taken the key since.
    ///
    /// - Throws: ``JobJournal/JobJournal/WriteError`` for an outcome that is too large.
    func outcome(
        _ outcome: Data,
        of running: RunningStep,
        version: Int,
        input: SipHash.Digest?
    ) throws -> JournalEntry? {
        let step = running.step
        guard outcome.count <= OutcomeTooLarge.limit,
            outcome.count + step.path.bytes.count + OutcomePayload.headerSize
                <= Frame.longestPayload
        else {
            throw JobJournal.WriteError(
                underlying: OutcomeTooLarge(key: step.key, count: outcome.count)
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

/// A step that this life runs.
struct RunningStep: Sendable {
    let step: StepName
    let token: UInt64
    let mustTellOfBeginning: Bool
    let mayHaveBegun: Bool
}

/// A step's key, and what the journal knows it by.
struct StepName: Sendable {
    let key: String
    let path: StepPath
    let digest: SipHash.Digest
    let scopes: [SipHash.Digest]
}
