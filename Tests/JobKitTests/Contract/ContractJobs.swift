import Foundation
import JobKit
import XCTest

/// The names and signatures of jobs that users' code compiles against.
final class ContractJobs: XCTestCase {
    private final class Scheduler: OperationScheduling {
        func addOperation(_ operation: Operation) { operation.start() }
    }

    // Operation forces @unchecked. The job's own code alone changes the property.
    /// Overrides all that a job's subclass may.
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
        try await job.run(on: TaskQueue(), stopWithin: .seconds(60))
        let _: [Operation] = job.trackedTasks
        XCTAssertEqual(job.events.last, "all")
        _ = JobController()
        _ = JobController(queue: OperationQueue())
        let unstarted = JobController()
        unstarted.startJob()
        await unstarted.waitForFinish()
        let other = JobController()
        other.startJob(on: OperationQueue())
        await other.waitForFinish()
        func explanation(_ error: JobStopTimeoutError) -> String { error.explanation }
    }

    func testResultJob() async throws {
        let job = Sum()
        try await job.run()
        let value: Int = try await job.value
        let result: Result<Int, any Error>? = job.result
        XCTAssertEqual(try result?.get(), value)
    }

    func testSmallTypes() {
        let groups: Set<JobGroup> = [.named("a"), .type(ConcurrentOperation.self)]
        XCTAssertEqual(groups.map(\.description).sorted(), ["ConcurrentOperation", "a"])
        let _: [TaskCancellation] = [.cancelAndWait, .cancelWithoutWaiting, .leaveRunning]
        let _: [FailureResponse] = [.failJob, .carryOn]
        let _: any OperationScheduling = OperationQueue()
    }
}
