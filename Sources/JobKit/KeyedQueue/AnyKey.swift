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

    @inlinable
    static func list(_ keys: Set<some Hashable & Sendable>) -> ShortList<AnyKey> {
        var list = ShortList<AnyKey>()
        for key in keys { list.append(AnyKey(key)) }
        return list
    }

    @usableFromInline var description: String { "\(key)" }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Mixes the seed of a dictionary into the hash, which `Hasher` has usually mixed already.
    ///
    /// This is an optional requirement of `Hashable`. If a dictionary does not call it, it calls
    /// `hash(into:)`, which is several times slower.
    // swift-format-ignore: NoLeadingUnderscores
    @usableFromInline
    func _rawHashValue(seed: Int) -> Int {
        // The odd factor and the shift spread the bits of an address, too.
        let mixed = UInt64(truncatingIfNeeded: hash ^ seed) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
    }

    @usableFromInline
    static func == (left: AnyKey, right: AnyKey) -> Bool {
        left === right || left.hash == right.hash && isEqual(left.key, right.key)
    }

    private static func isEqual<Key: Equatable>(_ left: Key, _ right: Any) -> Bool {
        if case let right as Key = right { left == right } else { false }
    }
}
