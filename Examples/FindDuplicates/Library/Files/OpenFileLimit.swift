import Foundation

/// How many files the process may hold open at a time.
package struct OpenFileLimit: Sendable {
    /// The descriptors left to the process's own files: the standard streams, the scheduler's.
    private static let reserve = 16
    /// A folder or part of a path that is longer than the system takes.
    private static let perPath = 2
    /// Below this the runtime itself cannot work.
    private static let least = 10
    /// More files than this are not worth comparing side by side.
    private static let mostFiles = 64

    /// A search of more folders than a quarter of the descriptors opens the others for each use.
    private static let keptPart = 4

    private let descriptors: Int
    /// How many folders may stay open during a search.
    let keptFolderCount: Int

    /// Takes a limit.
    init(descriptors: Int, keptFolderCount: Int = 0) {
        self.descriptors = descriptors
        self.keptFolderCount = keptFolderCount
    }

    /// The limit of the other files, if the folders of a search stay open as far as possible.
    ///
    /// - Parameter folderCount: How many folders are searched.
    /// - Returns: The limit, and how many of the folders may stay open.
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

    /// Why nothing can be done under this limit; nil if something can.
    package var problem: String? {
        guard descriptors < Self.least else { return nil }
        return "only \(descriptors) files may be open at a time; at least \(Self.least) must"
    }

    /// Narrows a width so that its tasks never run out of descriptors.
    ///
    /// - Parameter width: How many tasks are wanted at a time, at least 1.
    /// - Returns: A width from 1 to `width`.
    func width(atMost width: Int) -> Int {
        min(width, max(1, (descriptors - Self.reserve) / (1 + Self.perPath)))
    }

    /// How many files a task may hold open to compare them side by side.
    ///
    /// - Parameter width: How many tasks there are at a time.
    /// - Returns: At least 2.
    func filesPerTask(width: Int) -> Int {
        min(Self.mostFiles, max(2, (descriptors - Self.reserve) / width - Self.perPath + 1))
    }
}
