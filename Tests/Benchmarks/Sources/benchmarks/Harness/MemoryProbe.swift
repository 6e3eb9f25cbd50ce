import Foundation
import JobKit
import Synchronization

/// A scenario that measures resident memory in its own process.
enum MemoryProbe: String, CaseIterable, Sendable {
    /// Tasks that a job tracks, waiting in a suspended `TaskQueue`.
    case waitingOnTaskQueue = "waiting-task-queue"
    /// Block operations with a completion block, waiting in a suspended `OperationQueue`.
    case waitingOnOperationQueue = "waiting-operation-queue"
    /// Steps of one job, each started by the callback of the one before.
    case sequentialGrowth = "growth-sequential"
    /// Tasks of one job, a thousand in flight at a time.
    case fanOutGrowth = "growth-fan-out"
    /// Operations of one key in a `KeyedQueue`, each added when the previous one has finished.
    case keyedGrowth = "growth-keyed"
    /// Steps of one job, each in its own named group.
    case groupGrowth = "growth-groups"

    /// Steps of one job, each with a timeout.
    case limitedGrowth = "growth-limits"

    /// The number of steps after which growth is measured.
    static let stepsBeforeGrowth = 10_000

    /// Measures this process.
    ///
    /// - Returns: Bytes per waiting task, or the growth in bytes over the steps.
    func measure(size: Int) -> Double {
        switch self {
        case .waitingOnTaskQueue: Self.waitingInTaskQueue(size)
        case .waitingOnOperationQueue: Self.waitingInOperationQueue(size)
        case .sequentialGrowth: Self.growth(steps: size, inFlight: 1)
        case .fanOutGrowth: Self.growth(steps: size, inFlight: 1_000)
        case .keyedGrowth: Self.growth(steps: size, inFlight: 1, isKeyed: true)
        case .limitedGrowth: Self.growth(steps: size, inFlight: 1, limit: .seconds(3_600))
        case .groupGrowth: Self.growth(steps: size, inFlight: 1, isGrouped: true)
        }
    }

    private static func waitingInTaskQueue(_ size: Int) -> Double {
        let queue = TaskQueue()
        let completions = Completions(expected: size)
        let job = HeldJob(queue: queue)
        queue.isSuspended = true
        let before = ResidentMemory.bytes
        for _ in 0..<size {
            job.trackAndQueue(EmptyTask()) { _ in completions.complete() }
        }
        let after = ResidentMemory.bytes
        queue.isSuspended = false
        completions.wait()
        job.release()
        return Double(after - before) / Double(size)
    }

    private static func waitingInOperationQueue(_ size: Int) -> Double {
        let queue = OperationQueue()
        let completions = Completions(expected: size)
        queue.isSuspended = true
        let before = ResidentMemory.bytes
        for _ in 0..<size {
            let operation = BlockOperation {}
            operation.completionBlock = { completions.complete() }
            queue.addOperation(operation)
        }
        let after = ResidentMemory.bytes
        queue.isSuspended = false
        completions.wait()
        queue.waitUntilAllOperationsAreFinished()
        return Double(after - before) / Double(size)
    }

    /// Returns the largest growth at any multiple of ten thousand steps, relative to the first.
    private static func growth(
        steps: Int,
        inFlight: Int,
        isGrouped: Bool = false,
        isKeyed: Bool = false,
        limit: Duration? = nil
    ) -> Double {
        let home = TaskQueue()
        let keyed = KeyedQueue<Int>(home)
        let queue: any OperationScheduling = isKeyed ? keyed.keyed(1) : home
        let completions = Completions(expected: steps)
        let seen = Mutex<(first: Int?, most: Int)>((nil, 0))
        let job = StepsJob(
            queue: queue,
            steps: steps,
            inFlight: inFlight,
            isGrouped: isGrouped,
            limit: limit
        ) { remaining in
            let completed = steps - remaining
            if completed.isMultiple(of: stepsBeforeGrowth) {
                let bytes = ResidentMemory.bytes
                seen.withLock { seen in
                    if seen.first == nil { seen.first = bytes }
                    seen.most = max(seen.most, bytes)
                }
            }
            completions.complete()
        }
        job.startJob(on: home)
        completions.wait()
        job.waitUntilFinished()
        completions.verify()
        return seen.withLock { seen in
            guard let first = seen.first else {
                fatalError("fewer steps than \(stepsBeforeGrowth)")
            }
            return Double(seen.most - first)
        }
    }
}
