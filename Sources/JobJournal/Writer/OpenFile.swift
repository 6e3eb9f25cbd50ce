import Foundation

/// An open file or folder.
///
/// It is closed when the last reference is released.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let calls: FileCalls

    init(_ descriptor: Int32, calls: FileCalls) {
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit { close(descriptor) }

    /// Writes all bytes, in as many system calls as necessary.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = calls.write(descriptor, rest, offset + written)
            if count == -Int(EINTR) { continue }
            guard count > 0 else { throw systemError(count == 0 ? ENOSPC : Int32(-count)) }
            written += count
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    /// Syncs all written bytes, or the entries of a folder, to the disk.
    ///
    /// - Parameter folder: The path of the folder, or nil if it is a file.
    /// - Throws: The system's error, which names the folder.
    func sync(folder: String? = nil) throws {
        while true {
            let result = calls.sync(descriptor)
            if result == -Int(EINTR) { continue }
            // Some file systems cannot sync folders, and return `EINVAL`.
            guard result == 0 || folder != nil && result == -Int(EINVAL) else {
                throw systemError(Int32(-result), in: folder.map { "sync of \($0)" })
            }
            return
        }
    }

    func rename(_ old: String, to new: String) throws {
        let result = calls.rename(descriptor, old, new)
        guard result == 0 else { throw systemError(Int32(-result), in: "rename of \(old)") }
    }

    /// Deletes a file of the folder, if it exists.
    func unlink(_ name: String) throws {
        let result = calls.unlink(descriptor, name)
        guard result == 0 || result == -Int(ENOENT) else {
            throw systemError(Int32(-result), in: "unlink of \(name)")
        }
    }

    /// Fills the buffer from the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        var count = 0
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let result = calls.read(descriptor, rest, offset + count)
            if result == -Int(EINTR) { continue }
            guard result > 0 else { throw systemError(result == 0 ? EIO : Int32(-result)) }
            count += result
        }
    }

    func truncate(to size: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw systemError() }
    }

    /// Takes the file's lock, which only one open file of all processes can hold.
    ///
    /// Returns false if another open file holds it.
    func lock() throws -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw systemError() }
            return false
        }
        return true
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    func status() throws -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw systemError() }
        return status
    }
}

/// Reads a file, at least one window at a time.
struct FileBytes: ByteSource {
    let size: Int
    private let file: OpenFile
    private let windowSize: Int
    private var window: [UInt8] = []
    private var start = 0

    /// Reads a file one mebibyte at a time.
    ///
    /// Bytes after the first `size` ones are read only if they are needed.
    init(_ file: OpenFile, size: Int? = nil) throws {
        self.file = file
        self.size = try size ?? Int(file.status().st_size)
        windowSize = 1 << 20
    }

    /// Reads only the bytes that are needed, wherever they are.
    init(piecesOf file: OpenFile) {
        self.file = file
        size = .max
        windowSize = 0
    }

    mutating func read<Value>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        if offset < start || offset + count > start + window.count {
            let wanted = max(count, min(windowSize, size - offset))
            if window.count != wanted { window = [UInt8](repeating: 0, count: wanted) }
            start = offset
            try window.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        }
        return try window.read(at: offset - start, count: count, body)
    }
}

extension [UInt8]: ByteSource {
    var size: Int { count }

    func read<Value>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        try withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
        }
    }
}
