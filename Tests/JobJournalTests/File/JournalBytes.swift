@testable import JobJournal

/// A journal's file in memory, in the format of the writer.
struct JournalBytes: ByteSource {
    static let fileKey = FileKey(low: 7, high: 11)

    private(set) var bytes: [UInt8] = []
    private(set) var tail: RecordTail
    /// The offset of each write.
    private(set) var writes: [Int] = []
    /// The end offset of each outcome's record.
    private(set) var ends: [Int] = []

    init(isSynced: Bool = false, job: String = "job") {
        let session = SessionPayload(isSynced: isSynced, isInDoubt: false, bootID: nil)
        tail = RecordTail(
            fileKey: JournalBytes.fileKey,
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
            var record = Array(outcome.utf8)
                .withUnsafeBytes {
                    OutcomePayload.record(
                        path,
                        version: version,
                        input: nil,
                        outcome: $0,
                        with: Self.fileKey
                    )
                }
            tail.assignOffset(to: &record)
            bytes += record.bytes
            ends.append(bytes.count)
        }
        bytes += tail.fill()
        tail.wasSynced()
    }

    mutating func begin(_ key: String) {
        writes.append(bytes.count)
        var record = Record(.begun, Self.digest(key).bytes, with: Self.fileKey)
        tail.assignOffset(to: &record)
        bytes += record.bytes + tail.fill()
    }

    /// Begins another session.
    mutating func restart(isSynced: Bool) {
        let session = SessionPayload(isSynced: isSynced, isInDoubt: false, bootID: nil)
        tail = RecordTail(
            fileKey: Self.fileKey,
            head: .journal(job: "job"),
            session: session,
            end: bytes.count
        )
        tail.wasSynced()
    }

    static func digest(_ key: String) -> SipHash.Digest {
        fileKey.digest(.step, StepPath().appending(key).bytes)
    }

    func recovered(
        _ job: String = "job",
        isSynced: Bool = false
    ) throws -> (file: RecoveredFile, index: RecordIndex) {
        var copy = self
        var index = RecordIndex()
        let file = try RecoveredFile(&copy, .journal(job: job), isSynced: isSynced) {
            index.apply($0)
        }
        return (file, index)
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
