import Foundation

/// The three descriptors that every program counts on.
enum StandardStreams {
    /// Opens those that the caller left closed.
    ///
    /// Otherwise the next file that is opened would get such a number, and messages would be written
    /// into it. They are opened the wrong way round: writing to a closed output still fails.
    static func open() {
        let modes = [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ]
        for (descriptor, mode) in modes
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is taken, and all below this one are in use.
            _ = Foundation.open("/dev/null", mode)
        }
    }
}
