import Foundation
import JobJournal
import Synchronization

/// The journal of a run and of the runs that continue it.
///
/// Its file is created on first use.
///
/// > Thread: Any.
final class RunJournal: Sendable {
    /// The folder of all journals.
    ///
    /// Each one has a folder named by the number of its first run.
    struct Place: Sendable {
        let folder: String
        let safety: JobJournal.Safety

        /// Beside the database, with a name that SQLite does not use.
        init(database: String, safety: JobJournal.Safety) {
            folder = database + ".steps"
            self.safety = safety
        }

        func path(of id: Int64) -> String { "\(folder)/\(id)" }

        /// The numbers of the runs that have a journal.
        var ids: [Int64] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.compactMap { Int64($0) }
        }

        func remove(_ id: Int64) { try? FileManager.default.removeItem(atPath: path(of: id)) }
    }

    let id: Int64
    private let place: Place
    private let opened = Mutex<JobJournal?>(nil)
    private let known = Mutex<Int?>(nil)

    init(of id: Int64, in place: Place) {
        self.id = id
        self.place = place
    }

    /// How many steps the journal contained when the job opened it, or nil if it was not opened.
    var knownSteps: Int? { known.withLock { $0 } }

    /// Opens the journal, or returns the open one.
    func journal() throws -> JobJournal {
        if let journal = opened.withLock({ $0 }) { return journal }
        let folder = place.path(of: id)
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let journal = try JobJournal(
            at: URL(filePath: folder),
            job: "run \(id)",
            safety: place.safety
        )
        known.withLock { $0 = journal.recordedCount }
        opened.withLock { $0 = journal }
        return journal
    }

    /// Closes the journal.
    ///
    /// If the run has succeeded, its file is deleted.
    func end(succeeded: Bool) async {
        let journal = opened.withLock { $0 }
        if succeeded {
            guard journal != nil || FileManager.default.fileExists(atPath: place.path(of: id))
            else { return }
            try? await journal?.remove()
            place.remove(id)
        } else {
            await journal?.close()
        }
    }
}

/// A job requested a journal while its parameters are checked, before a run exists.
public struct NoJournal: Error, CustomStringConvertible {
    /// One sentence.
    public let description = "There is a journal only where a run's job is made."
}
