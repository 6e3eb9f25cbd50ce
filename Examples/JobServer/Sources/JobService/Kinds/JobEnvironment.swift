import JobJournal
import JobKit

/// What a job runs on, and what the server allows it.
public struct JobEnvironment: Sendable {
    /// The run's own queue; its width is the run's share of the server's places, and changes.
    public let queue: TaskQueue
    /// How many tasks the server runs at a time; no share is larger.
    public let width: Int
    /// The folders that jobs may read, and what lies below them.
    public let folders: AllowedFolders
    private let runJournal: RunJournal?

    /// The run's journal: steps that it records do not run again.
    ///
    /// It lies beside the database, is the same for the attempts of a run and for what `--resume` or a
    /// person runs in its place, and is removed when one of them has succeeded. A kind that uses it may say
    /// ``JobKind/runsAgainAfterCrash``: it goes on where it was.
    ///
    /// - Throws: What opening a file throws; ``NoJournal`` in `check(_:in:)`.
    public var journal: JobJournal {
        get throws {
            guard let runJournal else { throw NoJournal() }
            return try runJournal.journal()
        }
    }

    /// Makes an environment.
    ///
    /// - Parameters:
    ///   - width: How many tasks run at a time, at least 1.
    ///   - folders: The folders that jobs may read.
    ///   - queue: Where tasks run; one of that width unless given.
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

    /// The same on a queue of a run's own, with its journal.
    func on(_ queue: TaskQueue, _ journal: RunJournal?) -> JobEnvironment {
        JobEnvironment(width: width, folders: folders, queue: queue, journal: journal)
    }
}
