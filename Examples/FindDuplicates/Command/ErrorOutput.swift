import Foundation

/// Writes messages to standard error.
enum ErrorOutput {
    /// Writes a message on a separate line, after the command's name.
    ///
    /// - Parameter message: The message, without a line break.
    static func write(_ message: String) {
        write(Array(message.utf8))
    }

    /// Writes a message on a separate line, after the command's name.
    ///
    /// - Parameter message: The message, without a line break. It may contain the bytes of a path.
    static func write(_ message: [UInt8]) {
        writeRaw(Array("find-duplicates: ".utf8) + message + [0x0A])
    }

    /// Writes bytes unchanged.
    ///
    /// An error is ignored, because there is no other way to report it.
    ///
    /// - Parameter bytes: The bytes.
    static func writeRaw(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
