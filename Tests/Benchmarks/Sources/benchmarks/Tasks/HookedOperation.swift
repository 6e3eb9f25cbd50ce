import Foundation

/// A minimal `Operation` with a completion, without a queue or its own states.
// Unchecked, like every Operation subclass: its only state is an immutable Sendable closure.
final class HookedOperation: Operation, @unchecked Sendable {
    private let hook: @Sendable () -> Void

    /// Makes an operation that calls `hook` at its end.
    init(hook: @escaping @Sendable () -> Void) {
        self.hook = hook
        super.init()
    }

    override func main() { hook() }
}
