/// A frame to write, its meaning, and the Swift task that waits for it.
struct JournalEntry: FrameCarrying, Sendable {
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

    /// Whether the entry counts as soon as the operating system has it, even if records are synced.
    var needsNoSync: Bool {
        if case .begun = meaning { true } else { false }
    }
}
