import RemoteJobs

/// The work of hashing some files, where they are.
enum HashFiles: RemoteWork {
    static let name = "duplicates-hash"
    /// How many bytes of a file its head has; a file no longer than this is known by its head.
    static let headLength: Int64 = 4_096

    /// Which files.
    struct Input: Codable, Sendable {
        let files: [ListFolder.File]
        /// Whether only their heads are hashed.
        let isHead: Bool
    }

    /// What each of the files came to, in the same order.
    typealias Output = [Outcome]

    /// What a file came to.
    enum Outcome: Codable, Hashable, Sendable {
        /// Its SHA-256 in hexadecimal.
        case digest(String)
        /// It is gone.
        case vanished
        /// It could not be read, or is not what it was when it was listed.
        case problem(WireProblem)
    }
}
