import JobJournal
import JobKit

/// The resources and permissions of a job.
public struct JobEnvironment: Sendable {
    /// The run's own queue.
    ///
    /// Its concurrency limit is the run's share of the server's permits and changes.
    public let queue: TaskQueue
    /// How many tasks the server runs at a time, the upper bound of each share.
    public let width: Int
    /// The folders that jobs may read, including their contents.
    public let folders: AllowedFolders
    private let runJournal: RunJournal?

    /// The run's journal.
    ///
    /// Steps that it records do not run again. The journal is beside the database. All attempts of
    /// a run use it, and so does a run that `--resume` or a person starts instead of it. It is
    /// removed when one of them has succeeded. A kind that uses it can set
    /// ``JobKind/runsAgainAfterCrash``, because its runs continue from the last recorded step.
    ///
    /// - Throws: The error of opening the file, or ``NoJournal`` in `check(_:in:)`.
    public var journal: JobJournal {
        get throws {
            guard let runJournal else { throw NoJournal() }
            return try runJournal.journal()
        }
    }

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - width: How many tasks run at a time, at least 1.
    ///   - folders: The folders that jobs may read.
    ///   - queue: The queue of tasks. By default, it is a new queue limited to `width`.
    public init(
        width: Int,
        folders: AllowedFolders = AllowedFolders([]),
        queue: TaskQueue? = nil
    ) {
        self.init(width: width, folders: folders, queue: queue, journal: nil)
    }

    init(
        width: Int,
        folders: AllowedFolders,
        queue: TaskQueue?,
        journal: RunJournal?
    ) {
        runJournal = journal
        self.queue = queue ?? TaskQueue(name: "Tasks", maxConcurrentOperationCount: width)
        self.width = width
        self.folders = folders
    }

    /// Returns the same environment with a run's own queue and journal.
    func on(_ queue: TaskQueue, _ journal: RunJournal?) -> JobEnvironment {
        JobEnvironment(width: width, folders: folders, queue: queue, journal: journal)
    }
}
