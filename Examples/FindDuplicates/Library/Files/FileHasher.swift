import Crypto
import Foundation

/// Hashes the beginnings of files and whole files, with one buffer for all of them.
struct FileHasher: ~Copyable {
    /// How much of a file is hashed.
    enum Extent: Sendable {
        /// The first ``FileHasher/headLength`` bytes at most.
        case head
        /// All of it.
        case whole

        /// How many bytes of a file of that size it comes to.
        func length(ofSize size: Int64) -> Int64 {
            self == .head ? min(size, FileHasher.headLength) : size
        }

        /// About how many microseconds it takes to open such a file and hash so much of it.
        func work(for file: ScannedFile) -> Int64 {
            4 + length(ofSize: file.size) / 1000
        }
    }

    /// What reading a file came to.
    enum Outcome: Sendable {
        /// The SHA-256 of the bytes read, and their number.
        case digest(SHA256Digest, byteCount: Int64)
        /// The file is gone.
        case vanished
        /// It could not be read, or has changed.
        case problem(FileProblem)
        /// It was told to stop.
        case stopped
    }

    /// The length of a head in bytes.
    ///
    /// A file no longer than this is known whole by its head.
    ///
    /// Longer heads cost more to hash, shorter ones leave more files to be opened twice.
    static let headLength: Int64 = 1024

    private let buffer: UnsafeMutableRawBufferPointer

    /// Allocates the buffer.
    ///
    /// - Parameter extent: What will be hashed: heads need little room.
    init(for extent: Extent) {
        let length = extent == .head ? Int(FileHasher.headLength) + 1 : 128 * 1024
        buffer = .allocate(byteCount: length, alignment: 64)
    }

    deinit {
        buffer.deallocate()
    }

    /// Hashes a file or its head.
    ///
    /// One byte more than the file should have is asked for, so that one that has grown
    /// is noticed without another call.
    ///
    /// - Parameters:
    ///   - file: The file, with the size that its folder's listing gave.
    ///   - extent: How much of it.
    ///   - isStopped: Asked before each read; `true` ends the hashing early.
    /// - Returns: The digest, or why there is none.
    borrowing func hash(
        _ file: ScannedFile,
        _ extent: Extent,
        isStopped: () -> Bool
    ) -> Outcome {
        let length = extent.length(ofSize: file.size)
        let wanted = length == file.size ? length + 1 : length
        do {
            let opened = try OpenFile(file.path, flags: O_NOFOLLOW)
            var hash = SHA256()
            var total: Int64 = 0
            while total < wanted {
                guard !isStopped() else { return .stopped }
                let asked = Int(min(Int64(buffer.count), wanted - total))
                let count = try readBytes(asked, of: opened)
                hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                total += Int64(count)
                // A regular file gives fewer bytes than asked for only at its end.
                if count < asked && total >= length || count == 0 { break }
            }
            guard total == length else {
                let reason = "changed while it was read"
                return .problem(FileProblem(path: file.path, reason: reason))
            }
            return .digest(hash.finalize(), byteCount: total)
        } catch let reason {
            guard !reason.meansVanished else { return .vanished }
            return .problem(FileProblem(path: file.path, reason))
        }
    }

    private borrowing func readBytes(
        _ count: Int,
        of file: borrowing OpenFile
    ) throws(SystemError) -> Int {
        while true {
            let count = read(file.descriptor, buffer.baseAddress, count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError.last }
        }
    }
}
