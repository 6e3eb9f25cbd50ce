/// A key of any ``KeyedQueue``, so that what is behind its lock is not generic: code that is generic
/// over a user's type is several times slower.
struct AnyKey: Hashable, CustomStringConvertible, Sendable {
    // Made of a Sendable key, and never changed.
    nonisolated(unsafe) private let key: AnyHashable

    init(_ key: some Hashable & Sendable) { self.key = AnyHashable(key) }

    var description: String { "\(key.base)" }
}
