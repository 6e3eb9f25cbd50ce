import Foundation
import Synchronization

/// A count guarded by a lock of some kind.
protocol CountingLock: AnyObject, Sendable {
    init()
    /// Adds one, under the lock.
    func increment()
    /// The count.
    var count: Int { get }
}

/// Uses JobKit's own lock.
///
/// Its file is a link to that of the product.
final class GuardedCount: CountingLock {
    private let value = Guarded(0)

    func increment() { value.withLock { $0 += 1 } }

    var count: Int { value.withLock { $0 } }
}

/// Uses the standard library's lock.
final class MutexCount: CountingLock {
    private let value = Mutex(0)

    func increment() { value.withLock { $0 += 1 } }

    var count: Int { value.withLock { $0 } }
}

/// Uses Foundation's lock.
final class FoundationCount: CountingLock {
    private let lock = NSLock()
    /// Guarded by the lock.
    nonisolated(unsafe) private var value = 0

    func increment() { lock.withLock { value += 1 } }

    var count: Int { lock.withLock { value } }
}
