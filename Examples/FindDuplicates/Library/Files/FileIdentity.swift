import Foundation

/// Identifies a file by its device and its number on the device, regardless of its paths.
public struct FileIdentity: Hashable, Sendable {
    /// The device's number.
    public let device: UInt64
    /// The file's number on the device.
    public let number: UInt64

    /// Creates an identity from its two numbers.
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
    /// Extracts the identity from the status of a file.
    ///
    /// - Parameter status: The result of `stat`, `lstat` or `fstat`.
    init(_ status: stat) {
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            number: UInt64(truncatingIfNeeded: status.st_ino)
        )
    }
}

/// Distinguishes most files to which their file system gives the same number.
///
/// All names of a file have the same count of names, and the same times of the last change and the
/// last write. The clock of these times may tick only every few milliseconds.
/// ``FileWatches`` distinguishes different files with equal stamps.
struct FileStamp: Hashable, Sendable {
    let identity: FileIdentity
    /// The number of the file's names.
    ///
    /// If it has more, its file system gives several files the same number, or a file is mounted in
    /// several locations or reached through a symbolic link.
    let linkCount: Int
    /// The time of the last change, in nanoseconds since 1970, which may overflow and wrap around.
    let changeTime: Int64
    /// The time of the last write, in the same unit.
    let writeTime: Int64

    /// Extracts the stamp from the status of a file.
    init(_ status: stat) {
        #if canImport(Darwin)
        let (change, write) = (status.st_ctimespec, status.st_mtimespec)
        #else
        let (change, write) = (status.st_ctim, status.st_mtim)
        #endif
        self.init(
            FileIdentity(status),
            linkCount: Int(status.st_nlink),
            changeTime: Self.nanoseconds(change),
            writeTime: Self.nanoseconds(write)
        )
    }

    init(
        _ identity: FileIdentity,
        linkCount: Int = 1,
        changeTime: Int64 = 0,
        writeTime: Int64 = 0
    ) {
        self.identity = identity
        self.linkCount = linkCount
        self.changeTime = changeTime
        self.writeTime = writeTime
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
