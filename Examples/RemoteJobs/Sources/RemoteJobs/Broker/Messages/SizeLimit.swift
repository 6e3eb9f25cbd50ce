import NIOCore

/// Limits the size of messages.
///
/// A broker closes a channel if a message exceeds its `max_message_size`. It closes the connection
/// if the properties of a message do not fit into a frame.
enum SizeLimit {
    /// The longest input or outcome of a task as JSON, in bytes.
    ///
    /// The default limit of RabbitMQ is 128 MiB, and 16 MiB since 4.0. The last MiB is reserved for
    /// all properties and for outcomes that travel together with a large one.
    static let body = 127 << 20
    /// The longest key, in bytes.
    ///
    /// One frame of 128 KiB holds the properties of all outcomes that travel together. Up to 64 KiB
    /// of outcomes may have gathered before the last one.
    static let key = 40_000
    /// The number of bytes of keys in one note about many tasks.
    ///
    /// JSON may write six bytes for one.
    private static let keysOfANote = 1 << 20

    /// Rejects a body that is too large.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - what: The part of the task that the error names.
    ///   - key: The key of its task.
    /// - Throws: ``TooLargeError``.
    static func check(_ body: ByteBuffer, _ what: TooLargeError.Part, of key: Name) throws {
        try check(body.readableBytes, atMost: SizeLimit.body, what, of: key)
    }

    /// Rejects a key that is too long.
    static func check(key: Name) throws {
        try check(key.utf8.count, atMost: SizeLimit.key, .key, of: key)
    }

    /// Splits notes about many tasks into as many notes as their keys need.
    static func notes<Task>(_ tasks: [Task], key: (Task) -> Name) -> [[Task]] {
        var (notes, bytes): ([[Task]], Int) = ([], keysOfANote)
        for task in tasks {
            bytes += key(task).utf8.count
            if bytes >= keysOfANote {
                notes.append([])
                bytes = key(task).utf8.count
            }
            notes[notes.count - 1].append(task)
        }
        return notes
    }

    private static func check(
        _ size: Int,
        atMost limit: Int,
        _ what: TooLargeError.Part,
        of key: Name
    ) throws {
        guard size > limit else { return }
        throw TooLargeError(key: key.text, part: what, size: size, limit: limit)
    }
}
