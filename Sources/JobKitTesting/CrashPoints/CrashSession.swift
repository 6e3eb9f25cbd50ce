import JobJournal
import JobKit

/// Watches one run of a job, and finds a step that runs although its outcome is recorded.
final class CrashSession: JournalWatch {
    private struct Books {
        /// The latest recorded version of each step, by the step's path.
        var recorded: [[UInt8]: Int]
        var repeated: String?
    }

    private let books: Guarded<Books>

    /// Creates the watcher of a run on a journal that holds these records.
    ///
    /// - Parameter records: The whole records that the cut has left.
    init(knowing records: ArraySlice<JobJournal.OutcomeRecord> = []) {
        let recorded = Dictionary(
            records.map { ($0.path, $0.version) },
            uniquingKeysWith: { $1 }
        )
        books = Guarded(Books(recorded: recorded))
    }

    /// The first step that ran although its outcome was recorded.
    var repeatedStep: String? { books.withLock { $0.repeated } }

    func stepRuns(_ key: String, path: [UInt8], version: Int) {
        books.withLock { books in
            guard books.repeated == nil, books.recorded[path] == version else { return }
            books.repeated = key
        }
    }

    func stepRecorded(path: [UInt8], version: Int) {
        books.withLock { $0.recorded[path] = version }
    }
}
