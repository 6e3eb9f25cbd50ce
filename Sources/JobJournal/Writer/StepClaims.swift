import JobKit

/// The steps that are running in this session, and those of them whose beginning is recorded.
struct StepClaims {
    private struct Claim {
        let token: UInt64
        /// The step that has the key until it has finished, however it ended.
        ///
        /// Not retained: it gives the key back before it is gone. A weak reference would make each
        /// count of references to the step a slow one.
        let step: Unmanaged<ConcurrentOperation>
    }

    private var claims: [SipHash.Digest: Claim] = [:]
    private var begun: Set<SipHash.Digest> = []
    private var lastToken: UInt64 = 0

    /// Whether a step has the key that has not finished.
    func isInUse(_ digest: SipHash.Digest) -> Bool {
        guard let claim = claims[digest] else { return false }
        return claim.step._withUnsafeGuaranteedRef { !$0.isFinished }
    }

    mutating func claimed(_ digest: SipHash.Digest, by step: ConcurrentOperation) -> UInt64 {
        lastToken += 1
        claims[digest] = Claim(token: lastToken, step: .passUnretained(step))
        return lastToken
    }

    func isHeld(_ digest: SipHash.Digest, by token: UInt64) -> Bool {
        claims[digest]?.token == token
    }

    mutating func released(_ digest: SipHash.Digest, by token: UInt64) {
        if isHeld(digest, by: token) { claims[digest] = nil }
    }

    /// Whether this session must still record that the step begins.
    func mustRecordBeginning(_ digest: SipHash.Digest) -> Bool { !begun.contains(digest) }

    mutating func beginningRecorded(_ digest: SipHash.Digest) { begun.insert(digest) }

    mutating func outcomeRecorded(_ digest: SipHash.Digest, by token: UInt64) {
        released(digest, by: token)
        begun.remove(digest)
    }
}
