import JobKit

/// The steps that run in this session, and the steps with a start record.
struct StepClaims {
    private struct Claim {
        let token: UInt64
        /// The step that holds the key until it has finished.
        ///
        /// It is not retained, because it releases the key before it is deallocated. A weak
        /// reference would slow down the reference counting of the step.
        let step: Unmanaged<ConcurrentOperation>
    }

    private var claims: [SipHash.Digest: Claim] = [:]
    private var begun: Set<SipHash.Digest> = []
    private var lastToken: UInt64 = 0

    /// Whether an unfinished step holds the key.
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

    /// Whether this session must still write the start record of the step.
    func needsStartRecord(_ digest: SipHash.Digest) -> Bool { !begun.contains(digest) }

    mutating func startRecorded(_ digest: SipHash.Digest) { begun.insert(digest) }

    mutating func outcomeRecorded(_ digest: SipHash.Digest, by token: UInt64) {
        released(digest, by: token)
        begun.remove(digest)
    }
}
