import Foundation
import GRDB

extension JobStore {
    /// Makes a complete copy of a database, even while a server uses it.
    ///
    /// The copy is one file with the state of one moment. It appears completely or not at all.
    /// Blocks its thread.
    ///
    /// - Parameters:
    ///   - path: The database's path.
    ///   - copy: The copy's path, where no file may exist.
    /// - Throws: ``JobStoreError``.
    public static func backUp(_ path: String, to copy: String) throws(JobStoreError) {
        guard access(copy, F_OK) != 0 else {
            throw JobStoreError("The file \(copy) exists already.")
        }
        let part = "\(copy).part-\(UInt32.random(in: .min ... .max))"
        defer { unlink(part) }
        do {
            try open(path)
                .writeWithoutTransaction { database in
                    try database.execute(sql: "VACUUM INTO ?", arguments: [part])
                }
        } catch let error as JobStoreError {
            throw error
        } catch {
            throw JobStoreError("The copy \(copy) cannot be made: \(StoreWriter.text(error)).")
        }
        chmod(part, 0o600)
        try sync(part)
        // Unlike a rename, a link never replaces a file that was created in the meantime.
        guard link(part, copy) == 0 else {
            throw JobStoreError(
                "The copy \(copy) cannot be made: \(String(cString: strerror(errno)))."
            )
        }
        unlink(part)
        try sync(URL(filePath: copy).deletingLastPathComponent().path)
    }

    /// Runs SQLite's integrity check on a database, even while a server uses it.
    ///
    /// Blocks its thread.
    ///
    /// - Parameter path: The database's path.
    /// - Returns: The problems, one per line. Empty if there are none.
    /// - Throws: ``JobStoreError`` if the file cannot be opened, or is not a database of this
    ///   server.
    public static func check(_ path: String) throws(JobStoreError) -> [String] {
        let database = try open(path)
        do {
            let lines = try database.read { database in
                try String.fetchAll(database, sql: "PRAGMA integrity_check")
            }
            return lines == ["ok"] ? [] : lines
        } catch let error as DatabaseError where StoreWriter.isFault(error) {
            return [StoreWriter.text(error)]
        } catch {
            throw JobStoreError("The file \(path) cannot be checked: \(error).")
        }
    }

    private static func open(_ path: String) throws(JobStoreError) -> DatabaseQueue {
        guard access(path, R_OK) == 0 else {
            throw JobStoreError(
                "The file \(path) cannot be read: \(String(cString: strerror(errno)))."
            )
        }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(30)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let mark = try queue.read { try Int32.fetchOne($0, sql: "PRAGMA application_id") }
            guard mark == Schema.applicationID else {
                throw JobStoreError("The file \(path) is no database of job-server.")
            }
            return queue
        } catch let error as JobStoreError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw JobStoreError("The file \(path) is no database.")
        } catch {
            throw JobStoreError(
                "The database \(path) cannot be opened: \(StoreWriter.text(error))."
            )
        }
    }

    private static func sync(_ path: String) throws(JobStoreError) {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw JobStoreError("The file \(path) cannot be written.")
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw JobStoreError(
                "The file \(path) cannot be written: \(String(cString: strerror(errno)))."
            )
        }
    }
}
