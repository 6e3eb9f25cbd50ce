import Foundation

/// The reason that the system gave for refusing a call: its `errno`.
public struct SystemError: Error, Equatable {
    /// The number of the reason.
    public let code: Int32

    /// Takes the number of a reason.
    ///
    /// - Parameter code: A value of `errno`.
    public init(code: Int32) {
        self.code = code
    }

    /// The reason of the call that this thread has just made.
    static var last: SystemError { SystemError(code: errno) }

    /// Whether the entry is gone, or is no longer what its folder said it was.
    ///
    /// Files come and go while folders are searched. A file that is gone has no duplicates, and is
    /// no problem to report.
    public var meansVanished: Bool {
        [ENOENT, ENOTDIR, ELOOP, ESTALE].contains(code)
    }
}

extension SystemError: CustomStringConvertible {
    /// The system's own words for the reason.
    public var description: String { String(cString: strerror(code)) }
}
