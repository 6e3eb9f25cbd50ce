import Foundation

/// The least that an `Operation` with a completion can be: no queue, no states of its own.
// Unchecked, as every Operation subclass: its only state is an immutable Sendable closure.
final class HookedOperation: Operation, @unchecked Sendable {
    private let hook: @Sendable () -> Void

    /// Makes an operation that calls `hook` at its end.
    init(hook: @escaping @Sendable () -> Void) {
        self.hook = hook
        super.init()
    }

    override func main() { hook() }
}
