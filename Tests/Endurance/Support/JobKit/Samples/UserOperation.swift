import Foundation
import JobKitTesting
import Synchronization

// Operation forces @unchecked. The state is an atomic.
/// An asynchronous `Operation` as users write it, without JobKit.
final class UserOperation: Operation, @unchecked Sendable {
    let began = Gate()
    private let state = Atomic(0)
    private let isHeld: Bool

    init(_ name: String, isHeld: Bool = false) {
        self.isHeld = isHeld
        super.init()
        self.name = name
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.load(ordering: .acquiring) == 1 }
    override var isFinished: Bool { state.load(ordering: .acquiring) == 2 }

    override func start() {
        guard !isCancelled else { return complete() }
        change("isExecuting", to: 1)
        began.open()
        if !isHeld { DispatchQueue.global().async { self.complete() } }
    }

    func complete() { change("isFinished", to: 2) }

    private func change(_ key: String, to value: Int) {
        #if canImport(Darwin)
        willChangeValue(forKey: key)
        #endif
        state.store(value, ordering: .releasing)
        didChangeValue(forKey: key)
    }
}
