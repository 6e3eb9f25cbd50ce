import FindDuplicatesSystem
import Foundation
import Synchronization

/// Distinguishes files to which their file system gives the same number.
///
/// The kernel has one watch for each file, regardless of its names and its number. Only Linux has
/// such watches. On other systems, files with equal stamps are considered to be one file.
///
/// > Thread: Any. The first use opens the watches, and the object's end closes them.
final class FileWatches: Sendable {
    private let opened = Mutex<Int32?>(nil)

    deinit {
        if let set = opened.withLock({ $0 }) { close(set) }
    }

    /// Returns a value that is the same for all names of a file, and for no other file.
    ///
    /// - Parameter file: The open file or folder.
    /// - Returns: The value, which is only valid for these watches.
    /// - Throws: The system's error.
    func watch(_ file: borrowing OpenFile) throws(SystemError) -> Int32 {
        #if os(Linux)
        let (set, reason) = opened.withLock { opened in
            if opened == nil {
                let set = open_file_watches()
                guard set >= 0 else { return (set, SystemError.last) }
                opened = set
            }
            return (opened ?? -1, SystemError.last)
        }
        guard set >= 0 else { throw reason }
        let watch = file_watch(set, file.descriptor)
        guard watch >= 0 else { throw SystemError.last }
        return watch
        #else
        return 0
        #endif
    }
}
