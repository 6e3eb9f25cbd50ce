import Dispatch
import Foundation
import Synchronization

/// Starts the hooks of finished operations at once, where Foundation tells of a finish in no other
/// way.
///
/// An operation queue of its own accord works in the background, and starts nothing while
/// operations that block hold all of Dispatch's shared threads; a serial dispatch queue has the
/// quality that it is given, and always gets a thread. There are several lanes, because a queue
/// that holds many operations that are not ready searches them, and because a body that blocks
/// holds up its lane.
enum FinishLanes {
    static let count = 16

    /// An operation queue does not retain its dispatch queue.
    private static let lanes: [(queue: OperationQueue, thread: DispatchQueue)] = (0..<count)
        .map { number in
            let name = "JobKit.FinishHook \(number)"
            let (queue, thread) = (
                OperationQueue(), DispatchQueue(label: name, qos: .userInteractive)
            )
            queue.name = name
            queue.underlyingQueue = thread
            return (queue, thread)
        }
    private static let turn = Atomic(0)

    /// The lanes, one after another.
    static var next: OperationQueue {
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return lanes[number & (count - 1)].queue
    }
}
