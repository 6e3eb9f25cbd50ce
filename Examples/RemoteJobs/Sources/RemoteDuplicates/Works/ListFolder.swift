import FindDuplicates
import RemoteJobs

/// Lists one folder on the host that has it.
enum ListFolder: RemoteWork {
    static let name = "duplicates-list"

    /// The folder to list.
    struct Input: Codable, Sendable {
        /// Its absolute path, or nil for the shared folder of the worker.
        let folder: WirePath?
    }

    /// The content of the folder.
    struct Output: Codable, Sendable {
        /// Its absolute path.
        let path: WirePath
        let identity: WireIdentity
        let files: [File]
        let folders: [WirePath]
        let problems: [WireProblem]
        let regularFileCount: Int
        /// Whether the folder had vanished before its task ran.
        var isGone = false
    }

    /// A regular file that is not empty.
    struct File: Codable, Sendable {
        let path: WirePath
        let size: Int64
        let identity: WireIdentity
    }
}

/// Identifies a file of a host, so that two paths of one file can be detected.
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
