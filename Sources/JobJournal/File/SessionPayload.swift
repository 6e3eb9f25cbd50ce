/// The payload of a session's first record: its safety and the machine's boot session.
struct SessionPayload: Hashable, Sendable {
    static let size = 24

    /// Whether its records are synced before they count.
    var isSynced: Bool
    /// Whether start records may be missing, because the machine has stopped.
    var isInDoubt: Bool
    /// Identifies the boot session of the machine.
    ///
    /// Nil if the system does not report it.
    var bootID: SipHash.Digest?

    var bytes: [UInt8] {
        let flags: [UInt8] = [isSynced ? 1 : 0, isInDoubt ? 1 : 0, bootID == nil ? 0 : 1]
        return [UInt8](little: bootID?.low ?? 0, bootID?.high ?? 0) + flags
            + Array(repeating: Record.lastByte, count: 5)
    }
}

extension SessionPayload {
    /// Creates a session that follows another one, in the current boot session.
    init(isSynced: Bool, after last: SessionPayload?, with fileKey: FileKey) {
        let bootID = BootID.digest(fileKey)
        let isSameBoot = last.map { $0.bootID != nil && $0.bootID == bootID } ?? true
        let isInDoubt = last?.isInDoubt == true || !isSameBoot
        self.init(isSynced: isSynced, isInDoubt: isInDoubt, bootID: bootID)
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == SessionPayload.size, bytes[16..<19].allSatisfy({ $0 <= 1 }) else {
            return nil
        }
        isSynced = bytes[16] == 1
        isInDoubt = bytes[17] == 1
        bootID = bytes[18] == 1 ? SipHash.Digest(low: bytes.little(0), high: bytes.little(8)) : nil
    }
}
