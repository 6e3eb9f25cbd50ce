/// A key of any ``KeyedQueue``.
///
/// It makes the code behind the queue's lock non-generic, because code that is generic over a
/// user's type is several times slower.
struct AnyKey: Hashable, CustomStringConvertible, Sendable {
    // Created from a Sendable key, and never changed.
    nonisolated(unsafe) private let key: AnyHashable
    /// Computed once, because a dictionary reads it several times for each operation.
    private let hash: Int

    init(_ key: some Hashable & Sendable) {
        hash = key.hashValue
        self.key = AnyHashable(key)
    }

    var description: String { "\(key.base)" }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (left: Self, right: Self) -> Bool {
        left.hash == right.hash && left.key == right.key
    }
}
