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
    /// In an outbox, the last of them holds a copy of the preamble and of the next id, at the start
    /// of another sector. Therefore, one damaged sector loses neither the seal nor the next id.
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

    /// Reads the seal and the next id from the copy that begins here.
    ///
    /// Nil if there is no such copy.
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
