import Foundation

/// The lock that keeps a second server off a database file, held until it is released or the process ends.
///
/// SQLite's own locks let several processes write in turn; two servers would start the same runs.
final class DatabaseFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens the file, or makes it, and locks it.
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
    }

    deinit { close(descriptor) }

    private static var reason: String { String(cString: strerror(errno)) }
}
