import Foundation
import Synchronization

@testable import JobKit

// Operation forces @unchecked. The closure is guarded by a lock.
/// Calls a closure once, at the first read of `isFinished` after the closure was set.
final class AskingOperation: Operation, @unchecked Sendable {
    private let body = Guarded<(@Sendable () -> Void)?>(nil)

    override var isFinished: Bool {
        body.withLock { $0.take() }?()
        return super.isFinished
    }

    func whenAsked(_ body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
    }
}
