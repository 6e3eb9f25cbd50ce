/// The first records of a file, which identify it.
enum FileHead: Sendable {
    case journal(job: String)
    case outbox(name: String, nextID: UInt64)

    /// The job's id or the outbox's name.
    var name: String {
        switch self {
        case .journal(let name), .outbox(let name, _): name
        }
    }

    /// The frames after the preamble.
    ///
    /// The last frame of an outbox has a copy of the preamble at the beginning of a sector, so that
    /// one damaged sector loses neither the seal nor the next id.
    func frames(sealedBy seal: JournalSeal) -> [Frame] {
        switch self {
        case .journal(let job): return [Frame(.journal, Array(job.utf8), sealedBy: seal)]
        case .outbox(let name, let nextID):
            var payload: [UInt8] = []
            payload.append(little: nextID)
            let first = Frame(.outbox, payload + name.utf8 + [Frame.lastByte], sealedBy: seal)
            let start = Preamble.size + first.size + Frame.headerSize
            let padding = (FrameScan.sector - start % FrameScan.sector) % FrameScan.sector
            let copy = Array(repeating: Frame.lastByte, count: padding) + Preamble(seal: seal).bytes
            let check = seal.digest(.preamble, payload).bytes
            return [
                first,
                Frame(.copy, copy + payload + check + [Frame.lastByte], sealedBy: seal),
            ]
        }
    }

    /// The seal and the next id of a copy that begins here.
    static func copy(_ bytes: UnsafeRawBufferPointer) -> (seal: JournalSeal, nextID: UInt64)? {
        guard bytes.count >= copySize,
            case .whole(let preamble) = Preamble.read(Array(bytes[..<Preamble.size]))
        else { return nil }
        let payload = Array(bytes[Preamble.size..<Preamble.size + 8])
        let check = Array(bytes[Preamble.size + 8..<copySize])
        guard preamble.seal.digest(.preamble, payload).bytes == check else { return nil }
        return (preamble.seal, bytes.little(Preamble.size))
    }

    static let copySize = Preamble.size + 24
}
