/// A record of a step to write, its meaning, and the promise that it is written.
struct JournalEntry: FileRequest, RecordCarrying {
    enum Meaning: Sendable {
        case begun(SipHash.Digest)
        case outcome(SipHash.Digest, scopes: [SipHash.Digest], token: UInt64)
    }

    var record: Record
    let meaning: Meaning
    let written = Promise()

    init(_ record: Record, _ meaning: Meaning) {
        self.record = record
        self.meaning = meaning
    }

    /// Whether the entry counts as soon as the operating system has it, even if records are synced.
    var needsNoSync: Bool {
        if case .begun = meaning { true } else { false }
    }
}
