/// Files that may be equal: they agree in all that is known of them so far.
struct Candidates: Sendable {
    /// The length of each in bytes.
    let size: Int64
    let files: [ScannedFile]
    /// So many of the first bytes have equal hashes: 0 if none were hashed, the size if all were.
    var hashedLength: Int64 = 0

    /// The length of all of them together in bytes, or the largest number if that is larger.
    var byteCount: Int64 {
        let (product, isTooLarge) = size.multipliedReportingOverflow(by: Int64(files.count))
        return isTooLarge ? .max : product
    }

    /// What it takes at most to read all of them once, in microseconds.
    var work: Int64 { Work.reading(files.count, of: size) }
}

/// Estimates of how long reading takes, as the unit of progress.
enum Work {
    /// How many bytes are read and compared in a microsecond, about.
    static let bytes: Int64 = 4096
    /// About how many microseconds it takes to open a file and to look at it.
    static let opening: Int64 = 5

    /// What it takes to read files of a size, in microseconds; sparse files may be huge.
    static func reading(_ count: Int, of size: Int64) -> Int64 {
        let (product, isTooLarge) = (opening + size / bytes)
            .multipliedReportingOverflow(by: Int64(count))
        return isTooLarge ? most : min(product, most)
    }

    /// So much that a thousand such sums still are a number.
    static let most = Int64.max >> 10
}
