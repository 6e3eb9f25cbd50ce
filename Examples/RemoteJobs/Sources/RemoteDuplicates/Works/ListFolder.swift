import FindDuplicates
import RemoteJobs

/// The work of listing one folder, where it is.
enum ListFolder: RemoteWork {
    static let name = "duplicates-list"

    /// Which folder.
    struct Input: Codable, Sendable {
        /// Its absolute path; nil for the folder that the worker was given.
        let folder: WirePath?
    }

    /// What the folder holds.
    struct Output: Codable, Sendable {
        /// Its absolute path.
        let path: WirePath
        let identity: WireIdentity
        let files: [File]
        let folders: [WirePath]
        let problems: [WireProblem]
        let regularFileCount: Int
        /// Whether the folder was gone when it was its turn.
        var isGone = false
    }

    /// A regular file that is not empty.
    struct File: Codable, Sendable {
        let path: WirePath
        let size: Int64
        let identity: WireIdentity
    }
}

/// What makes two paths of a host one file.
struct WireIdentity: Codable, Hashable, Sendable {
    let device: UInt64
    let number: UInt64

    init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }

    init(_ identity: FileIdentity) {
        self.init(device: identity.device, number: identity.number)
    }
}
