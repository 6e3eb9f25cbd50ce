/// The payload that records a step's success: its path, version, input and outcome.
///
/// | bytes | |
/// |---|---|
/// | 0–7 | the version |
/// | 8–11 | 1 if the step has an input, otherwise 0 |
/// | 12–15 | the length of the path |
/// | 16–31 | the digest of the input, or zeros |
/// | 32– | the path, then the outcome |
struct OutcomePayload {
    static let headerSize = 32

    let version: Int
    let input: SipHash.Digest?
    let path: UnsafeRawBufferPointer
    let outcome: UnsafeRawBufferPointer

    /// Reads a payload.
    ///
    /// Nil if the bytes are not such a payload.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= OutcomePayload.headerSize else { return nil }
        let flag: UInt32 = bytes.little(8)
        let length: UInt32 = bytes.little(12)
        guard flag <= 1, Int(length) <= bytes.count - OutcomePayload.headerSize else { return nil }
        let end = OutcomePayload.headerSize + Int(length)
        let version: Int64 = bytes.little(0)
        self.version = Int(version)
        input = flag == 0 ? nil : SipHash.Digest(low: bytes.little(16), high: bytes.little(24))
        path = UnsafeRawBufferPointer(rebasing: bytes[OutcomePayload.headerSize..<end])
        outcome = UnsafeRawBufferPointer(rebasing: bytes[end...])
    }

    /// Creates the record of an outcome.
    static func record(
        _ path: StepPath,
        version: Int,
        input: SipHash.Digest?,
        outcome: UnsafeRawBufferPointer,
        with fileKey: FileKey
    ) -> Record {
        let count = headerSize + path.bytes.count + outcome.count
        return Record(.outcome, count: count, with: fileKey) { payload in
            payload.put(little: Int64(version), at: 0)
            payload.put(little: UInt32(input == nil ? 0 : 1), at: 8)
            payload.put(little: UInt32(path.bytes.count), at: 12)
            payload.put(little: input?.low ?? 0, at: 16)
            payload.put(little: input?.high ?? 0, at: 24)
            let rest = UnsafeMutableRawBufferPointer(rebasing: payload[headerSize...])
            rest.copyBytes(from: path.bytes)
            UnsafeMutableRawBufferPointer(rebasing: rest[path.bytes.count...])
                .copyMemory(from: outcome)
        }
    }
}

/// The digests by which the index identifies the step of an outcome.
struct RecordedStep {
    let digest: SipHash.Digest
    /// The scopes that contain the step, outermost first.
    let scopes: [SipHash.Digest]

    /// Reads the step from the payload of an outcome.
    ///
    /// Nil if the bytes are not such a payload.
    init?(_ payload: UnsafeRawBufferPointer, with fileKey: FileKey) {
        guard let outcome = OutcomePayload(payload), let ends = StepPath.ends(in: outcome.path)
        else { return nil }
        digest = fileKey.digest(.step, outcome.path)
        scopes = ends.dropLast()
            .map { end in
                fileKey.digest(.scope, UnsafeRawBufferPointer(rebasing: outcome.path[..<end]))
            }
    }
}
