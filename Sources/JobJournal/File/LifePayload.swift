/// The payload of a life's beginning: how it was told to write, and on which start of the machine.
struct LifePayload: Hashable, Sendable {
    static let size = 24

    /// Whether its records are synced before they count.
    var isSynced: Bool
    /// Whether steps may have begun of which the file does not say so: the machine went down.
    var isInDoubt: Bool
    /// The machine's start; nil where the system does not tell.
    var boot: SipHash.Digest?

    var bytes: [UInt8] {
        var bytes: [UInt8] = [isSynced ? 1 : 0, isInDoubt ? 1 : 0, boot == nil ? 0 : 1]
        bytes += [0, 0, 0, 0, 0]
        bytes.append(little: boot?.low ?? 0)
        bytes.append(little: boot?.high ?? 0)
        return bytes
    }

    init(isSynced: Bool, isInDoubt: Bool, boot: SipHash.Digest?) {
        self.isSynced = isSynced
        self.isInDoubt = isInDoubt
        self.boot = boot
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == LifePayload.size, bytes[..<3].allSatisfy({ $0 <= 1 }) else {
            return nil
        }
        isSynced = bytes[0] == 1
        isInDoubt = bytes[1] == 1
        boot = bytes[2] == 1 ? SipHash.Digest(low: bytes.little(8), high: bytes.little(16)) : nil
    }
}
