import FindDuplicates
import Foundation
import JobKit
import JobService

/// Searches a folder for files with equal content.
struct FindDuplicatesKind: JobKind {
    /// The folder and the files to compare.
    struct Parameters: Codable, Sendable {
        /// The folder, which must be in one that the server allows.
        let folder: String
        /// The smallest size of a compared file, in bytes.
        let minimumSize: Int64?
    }

    /// `find-duplicates`.
    let name = "find-duplicates"
    /// The parameters.
    let fields = [
        ParameterField("folder", "Folder", hint: "an absolute path on the server"),
        ParameterField(
            "minimumSize",
            "Smallest file",
            .integer(0...Int.max),
            isRequired: false,
            hint: "bytes"
        ),
    ]
    /// A search changes nothing, so it may be repeated.
    let runsAgainAfterCrash = true

    /// Creates the kind.
    init() {}

    /// Resolves the folder, and rejects one that the server does not allow.
    func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters {
        if let size = parameters.minimumSize, size < 0 {
            throw InvalidParameter("minimumSize", "minimumSize must not be negative.")
        }
        let folder = try environment.folders.resolve(parameters.folder, field: "folder")
        return Parameters(folder: folder, minimumSize: parameters.minimumSize)
    }

    /// The folder.
    ///
    /// A long path is shortened to its end.
    func title(of parameters: Parameters) -> String {
        let folder = parameters.folder
        let shown = folder.count > 180 ? "…" + folder.suffix(179) : folder
        return "Duplicates in \(shown)"
    }

    /// Creates the search on the run's own queue.
    func makeJob(
        _ parameters: Parameters,
        in environment: JobEnvironment
    ) throws -> PreparedJob {
        let job = FindDuplicatesJob(
            folders: [BytePath(parameters.folder)],
            minimumSize: max(1, parameters.minimumSize ?? 1),
            followsLinks: false,
            width: environment.width,
            queue: environment.queue
        )
        job.name = title(of: parameters)
        return PreparedJob(job) { DuplicatesResult(job.report) }
    }
}
