import Foundation
import Logging

/// Writes what the library says on standard error, a line each, as a command's own messages.
public struct StandardErrorLog: LogHandler {
    private let command: String
    /// What stands with each message; it is not written.
    public var metadata: Logger.Metadata = [:]
    /// The lowest level that is written.
    public var logLevel = Logger.Level.info

    /// Writes as a command.
    ///
    /// - Parameter command: The command's name, with which each line begins.
    public init(command: String) {
        self.command = command
    }

    /// A value that stands with each message.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    ///
    /// - Parameter event: The message, of which the text alone is written.
    public func log(event: LogEvent) {
        // A broker's words stand in it: they are one line here, whatever they are.
        let text = "\(event.message)".map { $0.isNewline ? " " : $0 }
        FileHandle.standardError.write(Data("\(command): \(String(text))\n".utf8))
    }
}
