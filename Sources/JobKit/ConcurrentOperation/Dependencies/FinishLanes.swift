import Dispatch
import Foundation
import Synchronization

/// Starts hooks as soon as their operations have finished, on platforms that offer no other way.
///
/// Each operation queue has a serial dispatch queue below it. By default, an operation queue works
/// with background quality of service, and starts nothing while blocked operations hold all shared
/// threads of Dispatch. A serial dispatch queue has the quality of service that it was given, and
/// always gets a thread.
///
/// There are several lanes for two reasons: a queue that holds many unready operations searches
/// them, and a body that blocks delays its lane.
enum FinishLanes {
    static let count = 16

    /// An operation queue does not retain its dispatch queue.
    private static let lanes: [(queue: OperationQueue, thread: Dispatch.DispatchQueue)] =
        (0..<count)
        .map { number in
            let name = "JobKit.FinishHook \(number)"
            let (queue, thread) = (
                OperationQueue(), Dispatch.DispatchQueue(label: name, qos: .userInteractive)
            )
            queue.name = name
            queue.underlyingQueue = thread
            return (queue, thread)
        }
    private static let turn = Atomic(0)

    /// The next lane, in rotation.
    static var next: OperationQueue {
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return lanes[number & (count - 1)].queue
    }
}
