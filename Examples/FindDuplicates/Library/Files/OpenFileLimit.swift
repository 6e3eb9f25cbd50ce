import Foundation

/// How many files the process may hold open at a time.
enum OpenFileLimit {
    /// The descriptors left to the process's own files: the standard streams, the scheduler's.
    private static let reserve = 16
    /// What a task holds open at most: a piece of a long path and the next.
    private static let perTask = 2

    /// Narrows a width so that its tasks never run out of descriptors.
    ///
    /// - Parameter width: How many tasks are wanted at a time, at least 1.
    /// - Returns: A width from 1 to `width`.
    static func width(atMost width: Int) -> Int {
        var limit = rlimit()
        #if os(Linux)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return width }
        return narrowed(width, openFiles: Int(clamping: limit.rlim_cur))
    }

    /// The rule of ``width(atMost:)`` for a given limit.
    static func narrowed(_ width: Int, openFiles: Int) -> Int {
        min(width, max(1, (openFiles - reserve) / perTask))
    }
}
