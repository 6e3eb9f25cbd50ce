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
