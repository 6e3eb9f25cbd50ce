import Foundation
import Testing

@testable import JobKit

/// Workers report on a job's permit when a task ends and at the next start (J12).
@Suite struct TaskQueueStateTests {
    // Unchecked, like every Operation subclass: it has no state.
    private final class Waiter: ConcurrentOperation, @unchecked Sendable {
        override var onlyWaits: Bool { true }
        override var hasTasksToLendTo: Bool { true }
        override func holdsPermit(in queue: AnyObject) -> Bool { true }
    }

    private let queue = TaskQueue(maxConcurrentOperationCount: 1).shell
    private let job = Waiter()
    private let tasks = [ConcurrentOperation(), ConcurrentOperation()]
    private let jobTicket: TaskQueueTicket
    private var tickets: [TaskQueueTicket] = []
    private var state = TaskQueueState(
        concurrencyLimit: 1,
        workers: TaskQueueWorkers(
            WorkerPool(cores: 2, limit: 64),
            name: "queue",
            quality: .default
        )
    )

    /// Creates a queue limited to 1 in which a job executes and two of its tasks are ready.
    init() {
        jobTicket = state.operationAdded(TaskQueueState.EnqueueRequest(job), to: queue)
        _ = state.idleAwaited {}
        _ = state.takeNext(waiting: nil)
        for task in tasks {
            let request = TaskQueueState.EnqueueRequest(task, job: job)
            tickets.append(state.operationAdded(request, to: queue))
        }
    }

    private mutating func takeNext(waiting: ConcurrentOperation? = nil) -> ConcurrentOperation? {
        state.takeNext(waiting: waiting).0?.entry as? ConcurrentOperation
    }

    @Test mutating func waitingJobLendsItsPermitToTheNextStart() {
        #expect(takeNext() == nil)
        #expect(takeNext(waiting: job) === tasks[0])
        #expect(takeNext() == nil)
    }

    @Test mutating func busyJobDoesNotLendTheReturnedPermit() {
        #expect(takeNext(waiting: job) === tasks[0])
        #expect(state.operationFinished(tickets[0], busy: job).isEmpty)
        #expect(takeNext() == nil)
        #expect(takeNext(waiting: job) === tasks[1])
    }

    @Test mutating func waitingJobLendsTheReturnedPermitAgain() {
        #expect(takeNext(waiting: job) === tasks[0])
        #expect(state.operationFinished(tickets[0]).isEmpty)
        #expect(takeNext() === tasks[1])
    }

    @Test mutating func jobThatHasEndedIsNoLongerWaitedFor() {
        #expect(state.operationFinished(jobTicket, busy: job).isEmpty)
        #expect(takeNext(waiting: job) === tasks[0])
        #expect(takeNext() == nil)
        #expect(state.operationFinished(tickets[0], busy: job).isEmpty)
        #expect(takeNext() === tasks[1])
        #expect(state.operationFinished(tickets[1]).count == 1)
    }
}
