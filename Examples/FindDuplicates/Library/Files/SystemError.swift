import Foundation

/// The error of a system call, its `errno`.
public struct SystemError: Error, Equatable {
    /// The error number.
    public let code: Int32

    /// Creates an error from its number.
    ///
    /// - Parameter code: A value of `errno`.
    public init(code: Int32) {
        self.code = code
    }

    /// The error of the last system call on this thread.
    static var last: SystemError { SystemError(code: errno) }

    /// Whether the entry has vanished, or is of another kind than its folder reported.
    ///
    /// Files come and go while folders are searched. A file that no longer exists has no duplicates
    /// and is not reported as a problem.
    public var meansVanished: Bool {
        [ENOENT, ENOTDIR, ELOOP, ESTALE].contains(code)
    }
}

extension SystemError: CustomStringConvertible {
    /// The system's description of the error.
    public var description: String { String(cString: strerror(code)) }
}
