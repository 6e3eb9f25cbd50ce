import Foundation

/// A task that failed: its name, and why in one line.
public struct TaskFailure: Equatable, Sendable {
    /// The task's name, of 200 characters at most.
    public let name: String
    /// Why it failed, in 500 characters at most.
    public let error: String

    init(name: String, error: any Error) {
        self.name = LogText.oneLine(String(name.prefix(200)))
        let text = (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
        self.error = LogText.oneLine(String(text.prefix(500)))
    }
}
