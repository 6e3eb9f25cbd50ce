/// The first records of a file, which identify it.
enum FileHead: Sendable {
    case journal(job: String)
    case outbox(name: String, nextID: UInt64)

    /// Whether zeros at the end of the file are cut off instead of reported.
    ///
    /// A record of an outbox never ends with a zero.
    var cutsZeros: Bool {
        if case .outbox = self { true } else { false }
    }

    var firstKind: Record.Kind { cutsZeros ? .outbox : .journal }

    /// Whether a first record belongs to the same job or outbox.
    func isNamed(in payload: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .journal(let job): payload.elementsEqual(job.utf8)
        case .outbox(let name, _): payload.dropFirst(8).dropLast().elementsEqual(name.utf8)
        }
    }

    /// The records after the preamble.
    ///
    /// In an outbox, the last of them holds a copy of the preamble and of the next id, at the start
    /// of another sector. Therefore, one damaged sector loses neither the key nor the next id.
    func records(with fileKey: FileKey) -> [Record] {
        switch self {
        case .journal(let job): return [Record(.journal, Array(job.utf8), with: fileKey)]
        case .outbox(let name, let nextID):
            let payload = [UInt8](little: nextID)
            let first = Record(.outbox, payload + name.utf8 + [Record.lastByte], with: fileKey)
            let start = Preamble.size + first.size + Record.headerSize
            let padding = (RecordScan.sector - start % RecordScan.sector) % RecordScan.sector
            let copy =
                Array(repeating: Record.lastByte, count: padding)
                + Preamble(fileKey: fileKey).bytes
            let check = fileKey.digest(.preamble, payload).bytes
            return [
                first,
                Record(.copy, copy + payload + check + [Record.lastByte], with: fileKey),
            ]
        }
    }

    /// Reads the key and the next id from the copy that begins here.
    ///
    /// Nil if there is no such copy.
    static func copy(_ bytes: UnsafeRawBufferPointer) -> (fileKey: FileKey, nextID: UInt64)? {
        guard bytes.count >= copySize,
            case .whole(let fileKey) = Preamble.read(Array(bytes[..<Preamble.size]))
        else { return nil }
        let payload = Array(bytes[Preamble.size..<Preamble.size + 8])
        let check = Array(bytes[Preamble.size + 8..<copySize])
        guard fileKey.digest(.preamble, payload).bytes == check else { return nil }
        return (fileKey, bytes.little(Preamble.size))
    }

    static let copySize = Preamble.size + 24
}
