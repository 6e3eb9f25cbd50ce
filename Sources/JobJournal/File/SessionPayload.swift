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
    var boot: SipHash.Digest?

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(little: boot?.low ?? 0)
        bytes.append(little: boot?.high ?? 0)
        bytes += [isSynced ? 1 : 0, isInDoubt ? 1 : 0, boot == nil ? 0 : 1]
        return bytes + Array(repeating: Frame.lastByte, count: 5)
    }

    init(isSynced: Bool, isInDoubt: Bool, boot: SipHash.Digest?) {
        self.isSynced = isSynced
        self.isInDoubt = isInDoubt
        self.boot = boot
    }

    /// Creates a session that follows another one, in the current boot session.
    init(isSynced: Bool, after last: SessionPayload?, sealedBy seal: JournalSeal) {
        let boot = MachineStart.digest(seal)
        let isSameStart = last.map { $0.boot != nil && $0.boot == boot } ?? true
        self.init(
            isSynced: isSynced,
            isInDoubt: last?.isInDoubt == true || !isSameStart,
            boot: boot
        )
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == SessionPayload.size, bytes[16..<19].allSatisfy({ $0 <= 1 }) else {
            return nil
        }
        isSynced = bytes[16] == 1
        isInDoubt = bytes[17] == 1
        boot = bytes[18] == 1 ? SipHash.Digest(low: bytes.little(0), high: bytes.little(8)) : nil
    }
}
