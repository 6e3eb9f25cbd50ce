import Foundation

/// The reason that the system gave for refusing a call: its `errno`.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The reason of the call that this thread has just made.
    static var last: SystemError { SystemError(code: errno) }

    /// Whether the entry is gone, or is no longer what its folder said it was.
    ///
    /// Files come and go while folders are searched. One that is gone is no duplicate of
    /// anything, and nothing to complain about.
    var meansVanished: Bool {
        [ENOENT, ENOTDIR, ELOOP, ESTALE].contains(code)
    }
}

extension SystemError: CustomStringConvertible {
    /// The system's own words for the reason.
    var description: String { String(cString: strerror(code)) }
}
