import JobKit

/// What a job runs on, and what the server allows it.
public struct JobEnvironment: Sendable {
    /// The queue that all jobs' tasks share, of limited width.
    public let queue: TaskQueue
    /// How many tasks run on the queue at a time.
    public let width: Int
    /// The folders that jobs may read, and what lies below them.
    public let folders: AllowedFolders

    /// Makes an environment.
    ///
    /// - Parameters:
    ///   - width: How many tasks run at a time, at least 1.
    ///   - folders: The folders that jobs may read.
    public init(width: Int, folders: AllowedFolders = AllowedFolders([])) {
        queue = TaskQueue(name: "Tasks", maxConcurrentOperationCount: width)
        self.width = width
        self.folders = folders
    }
}
