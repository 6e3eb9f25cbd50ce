import FindDuplicates
import Foundation

/// One file, however many names it has.
struct FileKey: Hashable {
    let device: UInt64
    let number: UInt64

    init(_ path: BytePath) {
        var status = stat()
        path.withName { requireSuccess(lstat($0, &status), "lstat") }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
