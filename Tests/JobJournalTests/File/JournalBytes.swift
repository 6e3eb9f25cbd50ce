@testable import JobJournal

/// A journal's file in memory, in the format of the writer.
struct JournalBytes: ByteSource {
    static let seal = JournalSeal(SipHash.Key(low: 7, high: 11))

    private(set) var bytes: [UInt8] = []
    private(set) var tail: RecordTail
    /// The offset of each write.
    private(set) var writes: [Int] = []
    /// The end offset of each outcome's record.
    private(set) var ends: [Int] = []

    init(isSynced: Bool = false, job: String = "job") {
        let session = SessionPayload(isSynced: isSynced, isInDoubt: false, boot: nil)
        tail = RecordTail(
            seal: JournalBytes.seal,
            head: .journal(job: job),
            session: session,
            end: 0
        )
        writes.append(0)
        bytes += tail.takeHead()
        tail.wasSynced()
    }

    var size: Int { bytes.count }

    func read<Value>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
        }
    }

    /// Appends one write with an outcome for each key.
    mutating func record(
        _ keys: [String],
        outcome: String,
        version: Int = 1,
        in scope: String? = nil
    ) {
        writes.append(bytes.count)
        bytes += tail.takeSession()
        for key in keys {
            let path = (scope.map { StepPath().appending($0) } ?? StepPath()).appending(key)
            var frame = Array(outcome.utf8)
                .withUnsafeBytes {
                    OutcomePayload.frame(
                        path,
                        version: version,
                        input: nil,
                        outcome: $0,
                        sealedBy: Self.seal
                    )
                }
            tail.place(&frame)
            bytes += frame.bytes
            ends.append(bytes.count)
        }
        bytes += tail.fill()
        tail.wasSynced()
    }

    mutating func begin(_ key: String) {
        writes.append(bytes.count)
        var frame = Frame(.begun, Self.digest(key).bytes, sealedBy: Self.seal)
        tail.place(&frame)
        bytes += frame.bytes + tail.fill()
    }

    /// Begins another session.
    mutating func restart(isSynced: Bool) {
        let session = SessionPayload(isSynced: isSynced, isInDoubt: false, boot: nil)
        tail = RecordTail(
            seal: Self.seal,
            head: .journal(job: "job"),
            session: session,
            end: bytes.count
        )
        tail.wasSynced()
    }

    static func digest(_ key: String) -> SipHash.Digest {
        seal.digest(.step, StepPath().appending(key).bytes)
    }

    func recovered(isSynced: Bool = false) throws -> RecoveredJournal {
        var copy = self
        return try RecoveredJournal(&copy, job: "job", isSynced: isSynced)
    }

    func cut(_ size: Int) -> JournalBytes {
        var copy = self
        copy.bytes.removeLast(bytes.count - size)
        return copy
    }

    func changed(_ change: (inout [UInt8]) -> Void) -> JournalBytes {
        var copy = self
        change(&copy.bytes)
        return copy
    }
}
