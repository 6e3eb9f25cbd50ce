/// The journal or outbox was closed or removed.
struct FileIsClosed: Error, CustomStringConvertible {
    var description: String { "it is closed." }
}

/// An outcome, an item or a batch exceeds the maximum size.
struct RecordTooLarge: Error, CustomStringConvertible {
    /// Describes the outcome, the item or the batch.
    let name: String
    let count: Int
    let limit: Int

    var description: String {
        "\(name) has \(count) bytes, more than \(limit)."
    }
}
