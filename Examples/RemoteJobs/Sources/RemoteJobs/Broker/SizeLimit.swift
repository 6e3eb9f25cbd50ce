import NIOCore

/// How much may travel in a message.
///
/// A broker closes the channel on which more comes than its `max_message_size`, and the connection
/// on which the properties do not fit into a frame.
enum SizeLimit {
    /// How many bytes a task's input or its outcome may have as JSON.
    ///
    /// RabbitMQ takes 128 MiB unless it is told otherwise, and 16 MiB from 4.0 on. The last MiB is
    /// for the outcomes that travel with a large one, and for all properties.
    static let body = 127 << 20
    /// How many bytes a key may have.
    ///
    /// A frame of 128 KiB holds the properties of all outcomes that travel together, up to 64 KiB
    /// of which have gathered before the last.
    static let key = 40_000
    /// How many bytes of keys stand in one of the notes about many tasks, where JSON may write six
    /// for one.
    private static let keysOfANote = 1 << 20

    /// Refuses the body of a message.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - what: What it is, as the error says it.
    ///   - key: The key of its task.
    /// - Throws: ``TooLargeError``.
    static func check(_ body: ByteBuffer, _ what: TooLargeError.Part, of key: Name) throws {
        try check(body.readableBytes, atMost: SizeLimit.body, what, of: key)
    }

    /// Refuses the key of a task.
    static func check(key: Name) throws {
        try check(key.utf8.count, atMost: SizeLimit.key, .key, of: key)
    }

    /// Cuts what is noted of many tasks into as many notes as their keys need.
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
