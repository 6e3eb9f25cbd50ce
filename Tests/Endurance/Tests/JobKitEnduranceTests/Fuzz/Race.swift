import Dispatch
import Foundation
import Synchronization

extension Dice {
    /// Runs the bodies at once, each on a thread of its own and after a random delay, and returns
    /// when all of them have returned.
    mutating func race(_ bodies: (@Sendable () -> Void)...) async {
        let line = StartLine(bodies.count)
        let group = DispatchGroup()
        for body in bodies {
            let delay = delay()
            group.enter()
            Thread.detachNewThread {
                line.cross()
                delay.pass()
                body()
                group.leave()
            }
        }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }
}
