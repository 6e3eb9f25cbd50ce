/// A key of any ``KeyedQueue``.
///
/// It makes the code behind the queue's lock non-generic, because code that is generic over a
/// user's type is several times slower. Users' code creates keys without generic code. It is a
/// class, so that most comparisons of equal keys only compare references.
@usableFromInline
final class AnyKey: Hashable, CustomStringConvertible, Sendable {
    @usableFromInline let key: any Hashable & Sendable
    /// Computed once, because a dictionary reads it several times for each operation.
    @usableFromInline let hash: Int

    @inlinable
    init(_ key: some Hashable & Sendable) {
        hash = key.hashValue
        self.key = key
    }

    @usableFromInline var description: String { "\(key)" }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    @usableFromInline
    static func == (left: AnyKey, right: AnyKey) -> Bool {
        left === right || left.hash == right.hash && isEqual(left.key, right.key)
    }

    private static func isEqual<Key: Equatable>(_ left: Key, _ right: Any) -> Bool {
        if let right = right as? Key { left == right } else { false }
    }
}
