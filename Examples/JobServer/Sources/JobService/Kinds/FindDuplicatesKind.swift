import FindDuplicates
import Foundation
import JobKit

/// Searches of a folder for files of equal content.
public struct FindDuplicatesKind: JobKind {
    /// What is searched.
    public struct Parameters: Codable, Sendable {
        /// The folder, which must lie in one that the server allows.
        public let folder: String
        /// The smallest size, in bytes, of a file to compare.
        public let minimumSize: Int64?
    }

    /// `find-duplicates`.
    public let name = "find-duplicates"
    /// The parameters.
    public let fields = [
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
    public let runsAgainAfterCrash = true

    /// Makes the kind.
    public init() {}

    /// Resolves the folder, and refuses one that the server does not allow.
    public func check(_ parameters: Parameters, in environment: JobEnvironment) throws -> Parameters
    {
        if let size = parameters.minimumSize, size < 0 {
            throw InvalidParameter("minimumSize", "minimumSize must not be negative.")
        }
        let folder = try environment.folders.resolve(parameters.folder, field: "folder")
        return Parameters(folder: folder, minimumSize: parameters.minimumSize)
    }

    /// The folder.
    public func title(of parameters: Parameters) -> String { "Duplicates in \(parameters.folder)" }

    /// Makes the search, on the queue that all jobs share.
    public func makeJob(
        _ parameters: Parameters,
        in environment: JobEnvironment
    ) throws -> PreparedJob {
        let job = FindDuplicatesJob(
            folders: [BytePath(parameters.folder)],
            minimumSize: max(1, parameters.minimumSize ?? 1),
            width: environment.width,
            queue: environment.queue
        )
        job.name = title(of: parameters)
        return PreparedJob(job) { DuplicatesResult(job.report) }
    }
}
