import Foundation

/// A file or folder held open; it is closed where the value ends.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    /// Opens a file or folder to read it, whatever the length of its path.
    ///
    /// The system takes paths of at most `PATH_MAX` bytes. A longer one is opened piece by piece,
    /// each relative to the folder before it.
    ///
    /// - Parameters:
    ///   - path: What to open.
    ///   - flags: Flags for `open`, added to those for reading.
    /// - Throws: The system's reason.
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
