import Foundation

/// What makes two paths one file: the device and the number that the file has there.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
}

extension FileIdentity {
    /// Takes the identity from what the system says of a file.
    ///
    /// - Parameter status: The answer of `stat` or one of its kin.
    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
