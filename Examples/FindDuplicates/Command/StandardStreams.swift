import Foundation

/// The three descriptors that every program needs.
enum StandardStreams {
    /// Opens the standard streams that the caller has closed.
    ///
    /// Otherwise, the next opened file would get such a number, and messages would be written into
    /// it. They are opened in the wrong direction, so that writing to a closed output still fails.
    static func open() {
        let modes = [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ]
        for (descriptor, mode) in modes
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The system takes the lowest free number, and all lower ones are in use.
            _ = Foundation.open("/dev/null", mode)
        }
    }
}
