import JobKit

// Operation forces @unchecked. The stored properties are constant.
/// Hashes a piece of several files of one size, one after another, to distinguish them.
///
/// It uses the hash of the standard library, which is fast and different in each process. Since
/// files with equal hashes may still differ, they are compared later.
final class HashFiles: ResultOperation<HashFiles.Hashes>, @unchecked Sendable {
    /// The hashes and the problems.
    struct Hashes: Sendable {
        /// The files that could be read, each with its hash.
        var files: [(file: ScannedFile, hash: Int)] = []
        /// The problems, and the number of bytes that were read.
        var findings = Findings()
    }

    private let files: [ScannedFile]
    /// The hashed bytes of each file.
    let range: Range<Int64>

    /// Prepares the hashing.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - range: The bytes to hash, within the files' size.
    init(_ files: [ScannedFile], range: Range<Int64>) {
        self.files = files
        self.range = range
        super.init()
    }

    /// The time of the task in microseconds, which is its weight in the job's progress.
    var work: Int64 { Work.reading(files.count, of: Int64(range.count)) }

    /// The number of files and the first of them unless a name is set.
    ///
    /// It is computed on demand.
    override var name: String? {
        get { super.name ?? "hash \(files.summary)" }
        set { super.name = newValue }
    }

    /// Hashes the files on the queue's thread, and returns when this is done.
    override func main() {
        let pieceLength = min(range.count, 128 * 1024)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: pieceLength + 1,
            alignment: 64
        )
        defer { buffer.deallocate() }
        var meter = WorkMeter(
            total: work,
            isStopped: { [unowned self] in isCancelled },
            tell: { [unowned self] in reportProgress($0) }
        )
        var hashes = Hashes()
        for file in files where !isCancelled {
            do throws(ReadFailure) {
                if let hash = try hash(file, buffer, &meter) { hashes.files.append((file, hash)) }
            } catch {
                hashes.findings.add(error)
            }
            hashes.findings.readBytes += Int64(range.count)
            meter.ended(1, remaining: 0)
        }
        finish(returning: hashes)
    }

    private func hash(
        _ file: ScannedFile,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ meter: inout WorkMeter
    ) throws(ReadFailure) -> Int? {
        let opened = try OpenedFile(file)
        var hasher = Hasher()
        var offset = range.lowerBound
        try opened.skip(to: offset)
        while offset < range.upperBound {
            guard !meter.isStopped() else { return nil }
            let count = Int(min(Int64(buffer.count - 1), range.upperBound - offset))
            offset += Int64(count)
            try opened.readNext(count, endsFile: offset == file.size, into: buffer)
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            meter.read(count)
        }
        return hasher.finalize()
    }
}

extension [ScannedFile] {
    /// The number of files, and the first one by name.
    var summary: String {
        let first = map(\.path).min().map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        return "\(count) \(count == 1 ? "file" : "files") from \(first)"
    }
}
