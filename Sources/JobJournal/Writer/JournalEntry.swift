/// What waits to be written: a frame, what it means, and who is told when it is.
struct JournalEntry: Sendable {
    enum Meaning: Sendable {
        case begun(SipHash.Digest)
        case outcome(SipHash.Digest, scopes: [SipHash.Digest], token: UInt64)
    }

    var frame: Frame
    let meaning: Meaning
    var done: UnsafeContinuation<(any Error)?, Never>?

    init(_ frame: Frame, _ meaning: Meaning) {
        self.frame = frame
        self.meaning = meaning
    }

    /// Whether it counts as soon as the system has it, also where records are synced.
    var needsNoSync: Bool {
        if case .begun = meaning { true } else { false }
    }
}
