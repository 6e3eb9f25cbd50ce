import Foundation
import Logging

/// Writes each log event as one line to standard error, even if its texts contain line breaks.
///
/// ```
/// 2026-01-31T09:15:00.250Z info job-server: Job ended job.id=7 job.kind=steps job.status=failed
/// ```
public struct LineLogHandler: LogHandler {
    /// The logger's metadata.
    public var metadata: Logger.Metadata = [:]
    /// Provides the metadata of the current Swift task.
    public var metadataProvider: Logger.MetadataProvider?
    /// The lowest level that is written.
    public var logLevel: Logger.Level = .info

    private let label: String
    private let write: @Sendable (String) -> Void

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: The logger's label.
    ///   - write: Receives each line with its line break. By default, it writes to standard error.
    public init(
        label: String,
        write: @escaping @Sendable (String) -> Void = { line in
            // The reader may have closed standard error, which must not end the process.
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        }
    ) {
        self.label = label
        self.write = write
    }

    /// One value of the metadata.
    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes an event.
    ///
    /// - Parameter event: The event.
    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        let time = Date.now.formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        )
        var line = "\(time) \(event.level) \(label): \(LogText.oneLine("\(event.message)"))"
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(Self.quoted("\(value)"))"
        }
        write(line + "\n")
    }

    /// A value, in quotes if it would otherwise be read as several words.
    private static func quoted(_ value: String) -> String {
        let line = LogText.oneLine(value)
        let isWord = !line.isEmpty && !line.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        guard !isWord else { return line }
        return "\"" + line.replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
