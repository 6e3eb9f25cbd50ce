import Foundation
import JobKit
import JobKitTesting
import XCTest

// J10: runs ten thousand nested jobs at constant stack depth and in linear time.
//
// It does not matter how they were built. If each job searched all others, these tests would not
// end.
final class JobDepthScaleTests: XCTestCase {
    private static let depth = 10_000

    // Operation forces @unchecked. The properties are constants.
    private final class Deep: JobController, @unchecked Sendable {
        let depth: Int
        let bottom: Operation
        let hasTask: Bool

        init(
            _ depth: Int,
            queue: any OperationScheduling,
            bottom: Operation,
            withTaskEach hasTask: Bool = false
        ) {
            self.depth = depth
            self.bottom = bottom
            self.hasTask = hasTask
            super.init(queue: queue)
        }

        override func main() {
            if depth > 1 {
                trackAndQueue(
                    Deep(depth - 1, queue: queue, bottom: bottom, withTaskEach: hasTask)
                )
            } else {
                trackAndQueue(bottom)
            }
            if hasTask { trackAndQueue(ConcurrentOperation()) }
        }
    }

    // MARK: Each job tracks the next

    private func top(
        on queue: any OperationScheduling = TaskQueue(),
        bottom: Operation = InstantOperation("bottom")
    ) -> JobController {
        Deep(Self.depth, queue: queue, bottom: bottom)
    }

    func testDeepJobsStartAndFinish() async {
        for queue in [TaskQueue(), TaskQueue(maxConcurrentOperationCount: 1)] {
            let job = top(on: queue)
            job.startJob(on: queue)
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.outcome?.text, "succeeded")
        }
    }

    func testDeepJobsAreCancelledBeforeCancelReturns() async {
        for queue in [TaskQueue(), TaskQueue(maxConcurrentOperationCount: 1)] {
            let bottom = HeldOperation("bottom")
            let job = top(on: queue, bottom: bottom)
            job.startJob(on: queue)
            await wait(for: bottom.began)
            job.cancel()
            XCTAssertTrue(bottom.told.isOpen)
            await bounded { await job.waitForFinish() }
            XCTAssertEqual(job.outcome?.text, "cancelled")
        }
    }

    func testFailureRisesThroughDeepJobs() async {
        let job = top(bottom: InstantOperation("bottom", failure: SampleError("deep")))
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.error as? SampleError, SampleError("deep"))
    }

    func testDeepJobsHaveATaskEachInAnotherQueue() async {
        // Operation forces @unchecked. The properties are constants.
        final class DeepWithTask: JobController, @unchecked Sendable {
            let depth: Int

            init(_ depth: Int, queue: TaskQueue) {
                self.depth = depth
                super.init(queue: queue)
            }

            override func main() {
                trackAndQueue(ConcurrentOperation())
                guard depth > 1, let other = queue as? TaskQueue else { return }
                trackAndQueue(DeepWithTask(depth - 1, queue: other), on: TaskQueue.shared)
            }
        }
        let job = DeepWithTask(Self.depth, queue: TaskQueue(maxConcurrentOperationCount: 2))
        job.startJob()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(job.outcome?.text, "succeeded")
    }

    /// Each job has a task that waits for a permit while the nested jobs have theirs.
    func testDeepJobsShareAQueueWithATaskEach() async {
        for width in 1...2 {
            for isCancelled in [false, true] {
                let queue = TaskQueue(maxConcurrentOperationCount: width)
                let bottom = HeldOperation("bottom")
                // The time to find a permit may grow with the depth (J12).
                let job = Deep(300, queue: queue, bottom: bottom, withTaskEach: true)
                job.startJob(on: queue)
                await wait(for: bottom.began)
                if isCancelled { job.cancel() } else { bottom.finish() }
                await bounded { await job.waitForFinish() }
                XCTAssertEqual(job.outcome?.text, isCancelled ? "cancelled" : "succeeded")
            }
        }
    }

    func testDeepJobsReportTheirProgressAndTheirStall() async {
        let bottom = HeldOperation("bottom")
        let job = top(bottom: bottom)
        let progress = job.progress
        job.startJob()
        await wait(for: bottom.began)
        let lines = job.explainStall(limit: .max).split(separator: "\n")
        XCTAssertEqual(lines.count, Self.depth + 1)
        bottom.finish()
        await bounded { await job.waitForFinish() }
        XCTAssertEqual(progress.fractionCompleted, 1)
    }

    // MARK: Jobs that are all built before the first starts

    private enum Order: CaseIterable {
        case fromTheTop
        case fromTheBottom
        case fromTheMiddle
        case inRandomPlaces
    }

    /// Returns a chain of jobs, top first.
    ///
    /// Each job tracks the next one and, before it, its own task.
    private func chain(_ order: Order, ofTasks: Bool = true) -> [JobController] {
        let jobs = (0..<Self.depth).map { _ in JobController() }
        if ofTasks {
            let queue = TaskQueue(maxConcurrentOperationCount: 2)
            for job in jobs { job.trackAndQueue(ConcurrentOperation(), on: queue) }
        }
        let indices = Array(1..<Self.depth)
        let linked: [Int] =
            switch order {
            case .fromTheTop: indices
            case .fromTheBottom: indices.reversed()
            case .fromTheMiddle: indices.sorted { abs($0 - 5_000) < abs($1 - 5_000) }
            case .inRandomPlaces: shuffled(indices)
            }
        for index in linked { jobs[index - 1].track(jobs[index]) }
        return jobs
    }

    private func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var random = WalkGenerator(seed: 1)
        return elements.shuffled(using: &random)
    }

    func testDeepJobsNeverStartedAreReleased() async {
        for order in Order.allCases {
            for ofTasks in [true, false] {
                weak var bottom: JobController?
                func build() {
                    let jobs = chain(order, ofTasks: ofTasks)
                    bottom = jobs.last
                    XCTAssertEqual(jobs.first?.trackedTasks.isEmpty, false)
                }
                build()
                await eventually { bottom == nil }
            }
        }
    }

    func testDeepJobsBuiltBeforeStartInAnyOrder() async {
        for order in Order.allCases {
            for queue in [TaskQueue(), TaskQueue(maxConcurrentOperationCount: 1)] {
                let jobs = chain(.fromTheBottom)
                let started: [JobController] =
                    switch order {
                    case .fromTheTop: jobs
                    case .fromTheBottom: jobs.reversed()
                    case .fromTheMiddle: Array(jobs[5_000...] + jobs[..<5_000])
                    case .inRandomPlaces: shuffled(jobs)
                    }
                for job in started { queue.addOperation(job) }
                await bounded { await jobs[0].waitForFinish() }
                XCTAssertEqual(jobs[0].outcome?.text, "succeeded")
            }
        }
    }

    /// Each job runs and waits before another begins to track it.
    func testDeepJobsTrackedWhileTheyRun() async {
        for width in [1, TaskQueue.defaultMaxConcurrentOperationCount] {
            let bottom = HeldOperation("bottom")
            var top = JobController()
            top.trackAndQueue(bottom)
            for index in 0..<Self.depth {
                let job = JobController()
                let queue =
                    index % 2 == 0
                    ? TaskQueue.shared : TaskQueue(maxConcurrentOperationCount: width)
                job.trackAndQueue(top, on: queue)
                top = job
            }
            top.startJob()
            await wait(for: bottom.began)
            bottom.finish()
            await bounded { [top] in await top.waitForFinish() }
            XCTAssertEqual(top.outcome?.text, "succeeded")
        }
    }
}
