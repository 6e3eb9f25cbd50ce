import Foundation
import Logging

/// Writes the library's log messages to standard error, one per line, as a command's messages.
public struct StandardErrorLog: LogHandler {
    private let command: String
    /// Metadata of all messages, which is not written.
    public var metadata: Logger.Metadata = [:]
    /// The lowest level that is written.
    public var logLevel = Logger.Level.info

    /// Creates the log of a command.
    ///
    /// - Parameter command: The command's name, with which each line begins.
    public init(command: String) {
        self.command = command
    }

    /// A metadata value of all messages.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    ///
    /// - Parameter event: The event. Only its message is written.
    public func log(event: LogEvent) {
        // The message may contain text from a broker. Newlines in it become spaces to keep one
        // line.
        let text = "\(event.message)".map { $0.isNewline ? " " : $0 }
        FileHandle.standardError.write(Data("\(command): \(String(text))\n".utf8))
    }
}
