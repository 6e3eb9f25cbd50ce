import Foundation

/// The file that contains the port of the server.
struct PortFile: Sendable {
    let path: String

    /// Checks that the file can be written, and empties an existing one.
    init(path: String) throws(StartUpError) {
        self.path = path
        try Self.write("", to: path)
    }

    /// Writes the port and a line break.
    ///
    /// Readers never see a part of it.
    func write(_ port: Int) throws(StartUpError) {
        let temporary = path + ".new"
        try Self.write("\(port)\n", to: temporary)
        guard rename(temporary, path) == 0 else {
            throw StartUpError(74, "The file \(path) cannot be written.")
        }
    }

    /// Removes the file, because the server no longer listens.
    func remove() {
        unlink(path)
    }

    private static func write(_ text: String, to path: String) throws(StartUpError) {
        do {
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw StartUpError(74, "The file \(path) cannot be written.")
        }
    }
}
