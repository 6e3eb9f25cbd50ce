import FindDuplicates
import Foundation

/// Identifies one file, regardless of its names.
struct FileKey: Hashable {
    let device: UInt64
    let number: UInt64

    init(_ path: BytePath) {
        var status = stat()
        path.withName { requireSuccess(lstat($0, &status), "lstat") }
        self.init(of: status)
    }

    /// The file to which a path leads, including through links.
    init(following path: BytePath) {
        var status = stat()
        path.withName { requireSuccess(stat($0, &status), "stat") }
        self.init(of: status)
    }

    private init(of status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
