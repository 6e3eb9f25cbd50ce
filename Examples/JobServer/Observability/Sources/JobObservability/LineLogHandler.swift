import Foundation
import Logging

/// Writes each log event as one line to standard error, whatever the event contains.
///
/// ```
/// 2026-01-31T09:15:00.250Z info job-server: Job ended job.id=7 job.kind=steps job.status=failed
/// ```
public struct LineLogHandler: LogHandler {
    /// The logger's metadata.
    public var metadata: Logger.Metadata = [:]
    /// What adds metadata of the current task.
    public var metadataProvider: Logger.MetadataProvider?
    /// The least level that is written.
    public var logLevel: Logger.Level = .info

    private let label: String
    private let write: @Sendable (String) -> Void

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - label: The logger's label.
    ///   - write: What takes a line that ends with its line break; standard error unless given.
    public init(
        label: String,
        write: @escaping @Sendable (String) -> Void = { line in
            // Nobody may read any more; that is no reason to end.
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
    /// - Parameter event: What happened.
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

    /// A value in quotes if it would be taken for several words.
    private static func quoted(_ value: String) -> String {
        let line = LogText.oneLine(value)
        let isWord = !line.isEmpty && !line.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        guard !isWord else { return line }
        return "\"" + line.replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
