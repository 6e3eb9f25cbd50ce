import Dispatch
import Foundation
import Synchronization

extension Dice {
    /// Runs the bodies at once, each on its own thread after a random delay.
    ///
    /// It returns when all bodies have returned.
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
