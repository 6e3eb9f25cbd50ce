import Foundation

/// The number of files that the process may have open at a time.
package struct OpenFileLimit: Sendable {
    /// The descriptors for the process's own files: the standard streams and those of the
    /// scheduler.
    private static let reserve = 16
    /// The descriptors for a folder, or for part of a path that is too long for the system.
    private static let perPath = 2
    /// Below this number, the runtime itself cannot work.
    private static let least = 10
    /// Comparing more files side by side is not worth it.
    private static let mostFiles = 64

    /// At most a quarter of the descriptors keep searched folders open.
    ///
    /// Other folders are opened for each use.
    private static let keptPart = 4

    private let descriptors: Int
    /// The number of folders that may stay open during a search.
    let keptFolderCount: Int

    /// Creates a limit.
    init(descriptors: Int, keptFolderCount: Int = 0) {
        self.descriptors = descriptors
        self.keptFolderCount = keptFolderCount
    }

    /// Returns the limit for other files if as many folders of a search as possible stay open.
    ///
    /// - Parameter folderCount: The number of searched folders.
    /// - Returns: The limit, including the number of folders that may stay open.
    func keepingOpen(_ folderCount: Int) -> OpenFileLimit {
        let kept = min(folderCount, max(0, descriptors - Self.reserve) / Self.keptPart)
        return OpenFileLimit(descriptors: descriptors - kept, keptFolderCount: kept)
    }

    /// The limit of this process.
    package static var current: OpenFileLimit {
        var limit = rlimit()
        #if os(Linux)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return OpenFileLimit(descriptors: 256) }
        return OpenFileLimit(descriptors: Int(clamping: limit.rlim_cur))
    }

    /// The reason why this limit is too low, or nil.
    package var problem: String? {
        guard descriptors < Self.least else { return nil }
        return "only \(descriptors) files may be open at a time; at least \(Self.least) must"
    }

    /// Reduces a number of simultaneous tasks so that they never run out of descriptors.
    ///
    /// - Parameter width: The desired number of simultaneous tasks, at least 1.
    /// - Returns: A number from 1 to `width`.
    func width(atMost width: Int) -> Int {
        min(width, max(1, (descriptors - Self.reserve) / (1 + Self.perPath)))
    }

    /// The number of files that a task may have open to compare them side by side.
    ///
    /// - Parameter width: The number of simultaneous tasks.
    /// - Returns: At least 2.
    func filesPerTask(width: Int) -> Int {
        min(Self.mostFiles, max(2, (descriptors - Self.reserve) / width - Self.perPath + 1))
    }
}
