import Foundation

/// A file or folder held open; it is closed where the value ends.
public struct OpenFile: ~Copyable {
    /// The system's number for it, valid as long as the value.
    public let descriptor: Int32

    /// Opens a file or folder to read it, whatever the length of its path.
    ///
    /// The system takes paths of at most `PATH_MAX` bytes. A longer one is opened piece by piece,
    /// each relative to the folder before it.
    ///
    /// - Parameters:
    ///   - path: What to open.
    ///   - linkable: How many bytes of the path, from its beginning, may lead through symbolic
    ///     links. Each name behind them is opened in the folder before it, and is no link: whoever
    ///     exchanges folders for links meanwhile leads nobody elsewhere.
    ///   - flags: Flags for `open`, added to those for reading.
    /// - Throws: The system's reason; `ELOOP` or `ENOTDIR` for a link behind those bytes.
    public init(_ path: BytePath, linkable: Int, flags: Int32) throws(SystemError) {
        guard linkable < path.bytes.count else {
            self = try OpenFile(path, flags: flags)
            return
        }
        let isAbsolute = path.bytes.first == BytePath.slash
        // Without a beginning of its own, the path begins at the root or at the current folder.
        let start = linkable > 0 ? path.bytes[..<linkable] : isAbsolute ? [BytePath.slash] : [0x2E]
        var names = path.bytes[linkable...].split(separator: BytePath.slash)[...]
        var folder = try OpenFile(
            BytePath(bytes: Array(start)),
            flags: names.isEmpty ? flags : O_DIRECTORY
        )
        while let name = names.popFirst() {
            let own = names.isEmpty ? flags : O_DIRECTORY
            let next = OpenFile.open(name, in: folder.descriptor, flags: own | O_NOFOLLOW)
            guard next >= 0 else { throw SystemError.last }
            folder = OpenFile(descriptor: next)
        }
        self = folder
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens a file or folder to read it, through whatever links lead to it.
    init(_ path: BytePath, flags: Int32) throws(SystemError) {
        var rest = path.bytes[...]
        var folder = AT_FDCWD
        while rest.count >= PATH_MAX {
            let longest = rest.prefix(Int(PATH_MAX) - 1)
            guard let slash = longest.lastIndex(of: BytePath.slash) else { break }
            let next = OpenFile.open(rest[...slash], in: folder, flags: O_DIRECTORY)
            let reason = SystemError.last
            if folder != AT_FDCWD { close(folder) }
            guard next >= 0 else { throw reason }
            folder = next
            rest = rest[slash...].drop { $0 == BytePath.slash }
        }
        let opened = OpenFile.open(rest, in: folder, flags: flags)
        let reason = SystemError.last
        if folder != AT_FDCWD { close(folder) }
        guard opened >= 0 else { throw reason }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// Hands the descriptor over to a caller who will close it.
    consuming func handOver() -> Int32 {
        let handedOver = descriptor
        discard self
        return handedOver
    }

    /// Opens one piece of a path.
    ///
    /// A pipe that has taken a file's place must not hold the thread until somebody writes to
    /// it, hence `O_NONBLOCK`, which has no effect on regular files.
    private static func open(_ path: ArraySlice<UInt8>, in folder: Int32, flags: Int32) -> Int32 {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: path.count + 1) { buffer in
            path.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
            buffer[path.count] = 0
            guard let name = buffer.baseAddress else { return -1 }
            while true {
                let all = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags
                let opened = openat(folder, name, all)
                if opened >= 0 || errno != EINTR { return opened }
            }
        }
    }
}
