import Foundation

/// Writes to a file descriptor, many bytes at a time.
package struct BufferedOutput: ~Copyable {
    /// The reason why writing had to end.
    package enum Failure: Error {
        /// The reader has closed the pipe.
        ///
        /// For example, `head` stops early.
        case nobodyReads
        /// The system's error, for example a full disk.
        case failed(reason: String)
    }

    private static let fullCount = 64 * 1024

    private let descriptor: Int32
    private var waiting: [UInt8] = []

    /// Writes to an open descriptor, which stays open.
    ///
    /// - Parameter descriptor: A file, a pipe or a terminal.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Adds bytes, and writes them if there are enough.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: The reason why they cannot be written.
    package mutating func write(_ bytes: [UInt8]) throws(Failure) {
        waiting += bytes
        if waiting.count >= BufferedOutput.fullCount { try flush() }
    }

    /// Writes all remaining bytes.
    ///
    /// - Throws: The reason why they cannot be written.
    package mutating func flush() throws(Failure) {
        var written = 0
        while written < waiting.count {
            let count = waiting.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                return Foundation.write(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                written += count
            } else {
                try wait(after: SystemError.last)
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Waits for a slow reader if the descriptor is non-blocking.
    private func wait(after error: SystemError) throws(Failure) {
        switch error.code {
        case EINTR:
            break
        case EAGAIN:
            var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&event, 1, -1)
        case EPIPE:
            throw .nobodyReads
        default:
            throw .failed(reason: error.description)
        }
    }
}
