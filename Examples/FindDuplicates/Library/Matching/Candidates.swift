/// Files that may be equal, because they agree in everything that is known so far.
struct Candidates: Sendable {
    /// The length of each file in bytes.
    let size: Int64
    let files: [ScannedFile]
    /// The number of first bytes with equal hashes: 0 if none were hashed, the size if all were.
    var hashedLength: Int64 = 0

    /// The total length of the files in bytes, or the largest integer if it is larger.
    var byteCount: Int64 {
        let (product, isTooLarge) = size.multipliedReportingOverflow(by: Int64(files.count))
        return isTooLarge ? .max : product
    }

    /// The highest time for reading all of them once, in microseconds.
    var work: Int64 { Work.reading(files.count, of: size) }
}

/// Estimates the time for reading, as the unit of progress.
enum Work {
    /// The approximate number of bytes that are read and compared in a microsecond.
    static let bytes: Int64 = 4096
    /// The approximate time for opening and checking a file, in microseconds.
    static let opening: Int64 = 5

    /// The time for reading files of one size, in microseconds.
    ///
    /// Sparse files may be huge.
    static func reading(_ count: Int, of size: Int64) -> Int64 {
        let (product, isTooLarge) = (opening + size / bytes)
            .multipliedReportingOverflow(by: Int64(count))
        return isTooLarge ? most : min(product, most)
    }

    /// A limit that allows adding a thousand such values without overflow.
    static let most = Int64.max >> 10
}
