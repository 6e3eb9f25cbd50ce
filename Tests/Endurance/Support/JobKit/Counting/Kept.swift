@testable import JobKit

/// Checks whether all objects that it created have been released.
final class Kept: Sendable {
    private let living = Guarded((last: 0, names: [Int: String]()))

    var isReleased: Bool { living.withLock { $0.names.isEmpty } }

    /// The names of the objects that still exist.
    var names: [String] { living.withLock { $0.names.values.sorted() } }

    func make(_ name: String = "") -> ReleaseToken {
        let number = living.withLock { living in
            living.last += 1
            living.names[living.last] = name
            return living.last
        }
        return ReleaseToken { self.living.withLock { _ = $0.names.removeValue(forKey: number) } }
    }
}
