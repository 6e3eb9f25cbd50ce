import Foundation
import JobKit

/// Gives one step to an idle process, and waits for its completion.
enum WakeUp {
    static let stepName = "wake-up by a new step"
    static let eventName = "wake-up by an event"

    /// A step is tracked from outside.
    ///
    /// The round trip ends in its completion.
    static func step(size: Int) -> Workload {
        Workload(
            stepName,
            size: size,
            rounds: 15,
            variants: [
                jobStep(on: .taskQueue),
                jobStep(on: .operationQueue).limited(toRounds: 3),
                operationQueueStep,
            ]
        )
    }

    /// An executing task finishes, and its callback starts a step.
    ///
    /// The round trip ends in the completion of that step.
    static func event(size: Int) -> Workload {
        Workload(
            eventName,
            size: size,
            rounds: 15,
            variants: [
                jobEvent(on: .taskQueue),
                jobEvent(on: .operationQueue).limited(toRounds: 3),
                operationQueueEvent,
            ]
        )
    }

    private static func jobStep(on kind: QueueKind) -> Variant {
        .latency(kind.jobName) { trial in
            let queue = kind.make()
            let job = HeldJob(queue: queue)
            let arrive = trial.arrive
            trial.time { job.trackAndQueue(EmptyTask()) { _ in arrive() } }
            job.release()
            queue.drain()
        }
    }

    private static let operationQueueStep = Variant.latency(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        trial.time { addStep(to: queue, completion: trial.arrive) }
        queue.drain()
    }

    private static func jobEvent(on kind: QueueKind) -> Variant {
        .latency(kind.jobName) { trial in
            let queue = kind.make()
            let job = HeldJob(queue: queue)
            let arrive = trial.arrive
            func startedEvent() -> PendingTask {
                let event = PendingTask()
                job.trackAndQueue(event) { [job] _ in
                    job.trackAndQueue(EmptyTask()) { _ in arrive() }
                }
                event.waitUntilStarted()
                return event
            }
            trial.time(prepare: startedEvent) { event in event.finish() }
            job.release()
            queue.drain()
        }
    }

    private static let operationQueueEvent = Variant.latency(VariantName.operationQueue) { trial in
        let queue = OperationQueue()
        let arrive = trial.arrive
        func startedEvent() -> PendingOperation {
            let event = PendingOperation()
            event.completionBlock = { addStep(to: queue, completion: arrive) }
            queue.addOperation(event)
            event.waitUntilStarted()
            return event
        }
        trial.time(prepare: startedEvent) { event in event.finish() }
        queue.drain()
    }

    private static func addStep(
        to queue: OperationQueue,
        completion: @escaping @Sendable () -> Void
    ) {
        let step = BlockOperation {}
        step.completionBlock = completion
        queue.addOperation(step)
    }
}
