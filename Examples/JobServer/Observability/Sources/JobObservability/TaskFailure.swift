import Foundation

/// A failed task: its name, and the reason in one line.
public struct TaskFailure: Equatable, Sendable {
    /// The task's name, at most 200 characters.
    public let name: String
    /// The reason, at most 500 characters.
    public let error: String

    init(name: String, error: any Error) {
        self.name = LogText.oneLine(String(name.prefix(200)))
        let text = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
        self.error = LogText.oneLine(String(text.prefix(500)))
    }
}
