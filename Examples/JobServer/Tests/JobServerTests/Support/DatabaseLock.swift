import Foundation

/// Another process's lock on a database.
final class DatabaseLock {
    private let process = Process()
    private let input = Pipe()

    /// Returns when the lock is acquired.
    ///
    /// `folder` receives a file that shows this.
    init(on data: String, in folder: TestFolder) throws {
        let taken = folder.path + "/taken-" + UUID().uuidString
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-c",
            """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
            c.execute('BEGIN IMMEDIATE')
            open(sys.argv[2], 'w').close()
            sys.stdin.read()
            """, data, taken,
        ]
        process.standardInput = input
        try process.run()
        try waitUntil("the lock is taken") { FileManager.default.fileExists(atPath: taken) }
    }

    func release() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    deinit { process.terminate() }
}
