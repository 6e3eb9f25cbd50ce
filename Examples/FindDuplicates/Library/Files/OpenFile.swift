import FindDuplicatesSystem
import Foundation

/// An open file or folder, which is closed when the value is destroyed.
public struct OpenFile: ~Copyable, Sendable {
    /// The system's descriptor, valid as long as the value.
    public let descriptor: Int32

    /// Opens a file or folder for reading.
    ///
    /// - Parameters:
    ///   - path: The path, which begins with that of the root.
    ///   - root: The beginning of the path, which alone may lead through symbolic links.
    ///   - flags: Flags for `open`, added to those for reading.
    /// - Throws: The system's error. It is `ELOOP` or `ENOTDIR` for a link below the root.
    public init(_ path: BytePath, below root: SearchRoot, flags: Int32) throws(SystemError) {
        self = try root.open(path, flags: flags)
    }

    /// Opens a file or folder for reading and follows all links.
    init(_ path: BytePath, flags: Int32) throws(SystemError) {
        self = try OpenFile.open(path.bytes[...], in: AT_FDCWD, flags: flags, with: openat)
    }

    /// Opens an entry of an open folder.
    init(_ name: ArraySlice<UInt8>, in folder: Int32, flags: Int32) throws(SystemError) {
        self = try OpenFile.open(name, in: folder, flags: flags, with: openat)
    }

    /// Opens a path below an open folder without following symbolic links.
    ///
    /// - Parameters:
    ///   - path: The path relative to the folder.
    ///   - folder: The folder's descriptor, or that of the current folder.
    ///   - isBelow: Whether the path must not leave the folder.
    ///   - flags: Flags for `open`, added to those for reading.
    /// - Throws: The system's error. It is `ENOSYS` or `EPERM` if there is no such call.
    init(
        _ path: ArraySlice<UInt8>,
        beneath folder: Int32,
        isBelow: Bool,
        flags: Int32
    ) throws(SystemError) {
        self = try OpenFile.open(path, in: folder, flags: flags | O_NOFOLLOW) {
            open_beneath($0, $1, $2, isBelow ? 1 : 0)
        }
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Passes the descriptor to a caller that will close it.
    consuming func handOver() -> Int32 {
        let handedOver = descriptor
        discard self
        return handedOver
    }

    /// Opens a path of any length.
    ///
    /// The system accepts paths of at most `PATH_MAX` bytes. A longer path is opened piece by
    /// piece, each relative to the folder before it.
    private static func open(
        _ path: ArraySlice<UInt8>,
        in start: Int32,
        flags: Int32,
        with call: (Int32, UnsafePointer<CChar>, Int32) -> Int32
    ) throws(SystemError) -> OpenFile {
        var rest = path
        var folder = start
        while rest.count >= PATH_MAX {
            let longest = rest.prefix(Int(PATH_MAX) - 1)
            guard let slash = longest.lastIndex(of: BytePath.slash) else { break }
            let next = openPiece(rest[...slash], in: folder, flags: O_DIRECTORY, with: call)
            let reason = SystemError.last
            if folder != start { close(folder) }
            guard next >= 0 else { throw reason }
            folder = next
            rest = rest[slash...].drop { $0 == BytePath.slash }
        }
        let opened = openPiece(rest, in: folder, flags: flags, with: call)
        let reason = SystemError.last
        if folder != start { close(folder) }
        guard opened >= 0 else { throw reason }
        return OpenFile(descriptor: opened)
    }

    /// Opens one piece of a path.
    ///
    /// A pipe that has replaced a file must not block the thread until another process writes to
    /// it. Therefore, `O_NONBLOCK` is set, which has no effect on regular files.
    private static func openPiece(
        _ path: ArraySlice<UInt8>,
        in folder: Int32,
        flags: Int32,
        with call: (Int32, UnsafePointer<CChar>, Int32) -> Int32
    ) -> Int32 {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: path.count + 1) { buffer in
            path.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            buffer[path.count] = 0
            guard let name = buffer.baseAddress else { return -1 }
            let reading = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            while true {
                let opened = call(folder, name, reading | flags)
                if opened >= 0 || errno != EINTR && errno != EAGAIN { return opened }
            }
        }
    }
}
