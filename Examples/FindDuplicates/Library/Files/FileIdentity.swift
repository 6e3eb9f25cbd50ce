import Foundation

/// Identifies a file, whatever its paths: by its device and its number there.
public struct FileIdentity: Hashable, Sendable {
    /// The device's number.
    public let device: UInt64
    /// The file's number on the device.
    public let number: UInt64

    /// Takes the two numbers.
    ///
    /// - Parameters:
    ///   - device: The device's number.
    ///   - number: The file's number on the device.
    public init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }
}

extension FileIdentity {
    /// Takes the identity from what the system says of a file.
    ///
    /// - Parameter status: The result of `stat`, `lstat` or `fstat`.
    init(_ status: stat) {
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            number: UInt64(truncatingIfNeeded: status.st_ino)
        )
    }
}

/// Identifies a file on file systems on which several files have one number.
///
/// All names of a file agree in the times at which it was last changed and last written.
struct FileStamp: Hashable, Sendable {
    let identity: FileIdentity
    /// The time of the last change, in nanoseconds since 1970, which wraps around.
    let changeTime: Int64
    /// The time of the last write, in the same unit.
    let writeTime: Int64

    /// Takes the stamp from the status of a file.
    init(_ status: stat) {
        #if canImport(Darwin)
        let (change, write) = (status.st_ctimespec, status.st_mtimespec)
        #else
        let (change, write) = (status.st_ctim, status.st_mtim)
        #endif
        self.init(
            FileIdentity(status),
            changeTime: Self.nanoseconds(change),
            writeTime: Self.nanoseconds(write)
        )
    }

    init(_ identity: FileIdentity, changeTime: Int64 = 0, writeTime: Int64 = 0) {
        self.identity = identity
        self.changeTime = changeTime
        self.writeTime = writeTime
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
