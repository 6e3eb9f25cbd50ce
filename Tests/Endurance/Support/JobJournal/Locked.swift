import Foundation

// The lock guards the value. `Mutex` is unknown to the thread sanitizer on Linux.
/// A value that several threads change.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}
