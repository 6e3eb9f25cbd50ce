import RemoteJobs

/// Hashes files on the host that has them.
enum HashFiles: RemoteWork {
    static let name = "duplicates-hash"
    /// The length of a file's head, in bytes.
    ///
    /// The head of a shorter file is its whole content.
    static let headLength: Int64 = 4_096

    /// The files to hash.
    struct Input: Codable, Sendable {
        let files: [ListFolder.File]
        /// Whether only the heads are hashed.
        let isHead: Bool
    }

    /// The result of each file, in the order of the input.
    typealias Output = [Outcome]

    /// The result of hashing a file.
    enum Outcome: Codable, Hashable, Sendable {
        /// Its SHA-256 in hexadecimal.
        case digest(String)
        /// The file no longer exists.
        case vanished
        /// The file could not be read, or has changed since it was listed.
        case problem(WireProblem)
    }
}
