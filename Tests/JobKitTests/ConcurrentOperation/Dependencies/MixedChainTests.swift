import Foundation
import JobKit
import JobKitTesting
import XCTest

/// Q3: chains in which plain operations alternate with `ConcurrentOperation`s.
final class MixedChainTests: XCTestCase {
    func testChainIsReleasedAtConstantStackDepth() async {
        for period in 2...3 {
            let (first, released) = (WeakOperation(), Gate())
            let thread = Thread {
                var last: Operation?
                for number in 0..<20_000 {
                    let isPlain = number.isMultiple(of: period)
                    let operation: Operation = isPlain ? BlockOperation {} : ConcurrentOperation()
                    if let last { operation.addDependency(last) } else { first.set(operation) }
                    last = operation
                }
                last = nil
                released.open()
            }
            thread.stackSize = 512 << 10
            thread.start()
            await wait(for: released)
            XCTAssertTrue(first.isReleased)
        }
    }
}

/// Refers to an operation weakly.
private final class WeakOperation: @unchecked Sendable {
    // Unchecked: set before the gate is open, and read afterwards.
    private weak var operation: Operation?

    var isReleased: Bool { operation == nil }

    func set(_ operation: Operation) { self.operation = operation }
}
