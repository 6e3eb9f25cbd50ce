import Foundation

/// The system calls that read and write a journal's file, which tests can replace.
///
/// Each returns the result of the system call, or the negative error number if it fails.
package struct FileCalls: Sendable {
    package var write:
        @Sendable (_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int
    package var read:
        @Sendable (_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int
    /// Syncs a file or the entries of a folder.
    package var sync: @Sendable (_ file: Int32) -> Int
    package var rename: @Sendable (_ folder: Int32, _ old: String, _ new: String) -> Int
    package var unlink: @Sendable (_ folder: Int32, _ name: String) -> Int
    /// The largest outcome, item or batch, in bytes.
    package var sizeLimit = 64 << 20

    package static let system = FileCalls(
        write: { file, bytes, offset in
            let count = pwrite(file, bytes.baseAddress, bytes.count, off_t(offset))
            return count < 0 ? -Int(errno) : count
        },
        read: { file, bytes, offset in
            let count = pread(file, bytes.baseAddress, bytes.count, off_t(offset))
            return count < 0 ? -Int(errno) : count
        },
        sync: { file in
            #if canImport(Darwin)
            // If the disk does not support `F_FULLFSYNC`, only `fsync` is left.
            if fcntl(file, F_FULLFSYNC) == 0 || fsync(file) == 0 { return 0 }
            #else
            if fdatasync(file) == 0 { return 0 }
            #endif
            return -Int(errno)
        },
        rename: { folder, old, new in
            renameat(folder, old, folder, new) == 0 ? 0 : -Int(errno)
        },
        unlink: { folder, name in
            unlinkat(folder, name, 0) == 0 ? 0 : -Int(errno)
        }
    )
}

/// The error of a system call.
///
/// - Parameters:
///   - number: The error number.
///   - call: The call and the path that it concerns, if it is not the file's.
/// - Returns: A `POSIXError` if the number is known, with the call in a ``FailedCall``.
func systemError(_ number: Int32 = errno, in call: String? = nil) -> any Error {
    let error: any Error =
        POSIXErrorCode(rawValue: number).map { POSIXError($0) }
        ?? NSError(domain: NSPOSIXErrorDomain, code: Int(number))
    return call.map { FailedCall(call: $0, error: error) } ?? error
}

/// The error of a system call that concerns a folder.
///
/// A ``JobJournal/JobJournal/WriteError`` takes it apart, because a `POSIXError` keeps no further
/// values on Linux.
struct FailedCall: Error {
    /// The call and the path.
    let call: String
    let error: any Error
}
