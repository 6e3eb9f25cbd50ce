import Foundation
import JobKit
import XCTest

/// The names and signatures of jobs on which users' code depends.
final class ContractJobs: XCTestCase {
    private final class Scheduler: OperationScheduling {
        func addOperation(_ operation: Operation) { operation.start() }
    }

    // Operation forces @unchecked. Only the job's own code changes the property.
    /// Overrides every overridable member of a job.
    private final class Job: JobController, @unchecked Sendable {
        var events: [String] = []

        override func main() {
            let task = ConcurrentOperation()
            track(task)
            task.start()
            track(
                finished(),
                group: .named("photos"),
                cancellation: .cancelWithoutWaiting,
                weight: 2 as Int64,
                failure: .carryOn
            ) { (task: ConcurrentOperation) in self.events.append("tracked") }
            trackAndQueue(ConcurrentOperation())
            trackAndQueue(
                ConcurrentOperation(),
                on: Scheduler(),
                group: .type(ConcurrentOperation.self),
                cancellation: .leaveRunning,
                weight: 1,
                failure: .failJob,
                completion: { (task: ConcurrentOperation) in self.events.append("queued") }
            )
            trackAndQueue(
                ClosureOperation { 1 },
                on: queue,
                group: nil,
                cancellation: .cancelAndWait,
                weight: 1,
                failure: nil,
                onSuccess: { (value: Int) in self.events.append("\(value)") }
            )
            track(number(), onSuccess: { (value: Int) in self.events.append("\(value)") })
            track(numberJob(), onSuccess: { (value: Int) in self.events.append("\(value)") })
            trackAndQueue(Sum(), onSuccess: { (value: Int) in self.events.append("\(value)") })
            setCompletion(for: .named("photos")) { self.events.append("group") }
            setMaxConcurrentOperationCount(2, for: .named("photos"))
        }

        private func finished() -> ConcurrentOperation {
            let operation = ConcurrentOperation()
            operation.start()
            return operation
        }

        private func number() -> ResultOperation<Int> {
            let operation = ClosureOperation { 2 }
            operation.start()
            return operation
        }

        private func numberJob() -> ResultJob<Int> {
            let job = Sum()
            job.startJob()
            return job
        }

        override func taskFinished(_ task: Operation) { events.append("task") }
        override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
            .failJob
        }
        override func taskGroupFinished(_ group: JobGroup) { events.append(group.description) }
        override func allTasksFinished() { events.append("all") }
        override func jobCancelled() { events.append("cancelled") }
        override func didCancel() {}
    }

    private final class Sum: ResultJob<Int>, @unchecked Sendable {
        override func main() { finish(returning: 3) }
    }

    func testJob() async throws {
        let job = Job(queue: TaskQueue(), callbackQueue: DispatchQueue(label: "callbacks"))
        let _: any OperationScheduling = job.queue
        job.isSuspended = true
        job.isSuspended = false
        job.setContext { (body: () -> Void) in body() }
        try await job.run(on: TaskQueue(), timeout: .seconds(60), stopWithin: .seconds(60))
        let _: [Operation] = job.trackedTasks
        XCTAssertEqual(job.events.last, "all")
        _ = JobController()
        _ = JobController(queue: OperationQueue())
        _ = JobController(name: "sync", queue: TaskQueue.shared, callbackQueue: nil)
        let unstarted = JobController()
        unstarted.startJob()
        await unstarted.waitForFinish()
        let other = JobController()
        other.startJob(on: OperationQueue())
        await other.waitForFinish()
    }

    func testResultJob() async throws {
        try await Sum().run()
        let sum: Int = try await Sum().run(on: nil, timeout: .seconds(60), stopWithin: nil)
        let job = Sum()
        let value = try await job.run(timeout: .seconds(60))
        XCTAssertEqual(sum, value)
        let awaited: Int = try await job.value
        XCTAssertEqual(awaited, value)
        let result: Result<Int, any Error>? = job.result
        XCTAssertEqual(try result?.get(), value)
    }

    // J4: without a subclass.
    func testJobWithoutASubclass() async throws {
        let (job, log) = (JobController(name: "sync"), Log())
        job.trackAndQueue(ClosureOperation { 1 }) { number in
            log.numbers.append(number)
            job.trackAndQueue(ClosureOperation { 2 }) { log.numbers.append($0) }
        }
        try await job.run()
        XCTAssertEqual(log.numbers, [1, 2])
        XCTAssertEqual(job.name, "sync")
    }

    /// Changed only by the callbacks of one job.
    private final class Log: @unchecked Sendable {
        var numbers: [Int] = []
    }

    func testSmallTypes() {
        let groups: Set<JobGroup> = [.named("a"), "a", .type(ConcurrentOperation.self)]
        XCTAssertEqual(groups.map(\.description).sorted(), ["ConcurrentOperation", "a"])
        let _: [TaskCancellation] = [.cancelAndWait, .cancelWithoutWaiting, .leaveRunning]
        let _: [FailureResponse] = [.failJob, .carryOn]
        let _: any OperationScheduling = OperationQueue()
    }
}
