import Foundation
import Synchronization

/// Locks a database file against a second server, and detects a replaced file.
///
/// The lock is held until it is released or the process ends. It is necessary because SQLite's own
/// locks let several processes write in turn, and two servers would start the same runs.
final class DatabaseFile: Sendable {
    private struct Identity: Equatable, Sendable {
        let device: UInt64
        let number: UInt64
    }

    let path: String
    private let descriptor: Int32
    private let opened: Identity?
    private let log = Mutex<Identity?>(nil)

    /// Opens or creates the file and locks it.
    ///
    /// - Parameter path: The file's path.
    /// - Throws: ``JobStoreError`` if it cannot be written, or another process has locked it.
    init(path: String) throws(JobStoreError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw JobStoreError("The file \(path) cannot be written: \(Self.reason).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isLocked = errno == EWOULDBLOCK
            let reason = Self.reason
            close(descriptor)
            throw JobStoreError(
                isLocked
                    ? "Another server uses the file \(path)."
                    : "The file \(path) cannot be locked: \(reason)."
            )
        }
        opened = Self.identity(of: path)
    }

    deinit { close(descriptor) }

    /// Records the identity of the write-ahead log, to which SQLite writes before the main file.
    func noteLog() {
        let identity = Self.identity(of: path + "-wal")
        log.withLock { $0 = identity }
    }

    /// Describes how the files have changed since they were opened, or nil if they have not.
    var loss: String? {
        guard let now = Self.identity(of: path) else {
            // A temporary error in reading the folder does not count as a loss.
            return errno == ENOENT || errno == ENOTDIR ? "The file \(path) is gone" : nil
        }
        guard now == opened else { return "The file \(path) was replaced by another one" }
        guard let log = log.withLock({ $0 }), Self.identity(of: path + "-wal") != log else {
            return nil
        }
        return "The file \(path)-wal is gone, or was replaced by another one"
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
