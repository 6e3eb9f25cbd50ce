import Foundation
import JobKit
import JobKitTesting
import XCTest

// R3
final class JobProgressTests: XCTestCase {
    private final class Weighted: JobController, @unchecked Sendable {
        let weights: [Int64]
        var fractions: [Double] = []
        var more: [Int64] = []

        init(_ weights: [Int64], queue: any OperationScheduling) {
            self.weights = weights
            super.init(queue: queue)
        }

        override func main() {
            for weight in weights { trackAndQueue(ConcurrentOperation(), weight: weight) }
        }

        override func taskFinished(_ task: Operation) {
            fractions.append(progress.fractionCompleted)
            for weight in more { trackAndQueue(ConcurrentOperation(), weight: weight) }
            more = []
        }
    }

    func testFractionIsTheWeightDeliveredOverTheWeightTracked() {
        let queue = StepQueue()
        let job = Weighted([1, 2, 5, 2], queue: queue)
        let progress = job.progress
        XCTAssertEqual(progress.fractionCompleted, 0)
        job.startJob(on: queue)
        queue.runNext()
        var fractions: [Double] = []
        while queue.runNext() != nil { fractions.append(progress.fractionCompleted) }
        XCTAssertEqual(fractions, [0.1, 0.3, 0.8, 1])
        XCTAssertTrue(job.isFinished)
    }

    func testThirdsAreExact() {
        let queue = StepQueue()
        let job = Weighted([1, 1, 1], queue: queue)
        let progress = job.progress
        job.startJob(on: queue)
        queue.runNext()
        queue.runNext()
        XCTAssertEqual(progress.fractionCompleted, 1.0 / 3)
    }

    func testFractionNeverDecreasesWhileStepsAreDiscovered() {
        let queue = StepQueue()
        let job = Weighted([1, 1], queue: queue)
        job.more = [10]
        let progress = job.progress
        job.startJob(on: queue)
        var last = 0.0
        while queue.runNext() != nil {
            XCTAssertGreaterThanOrEqual(progress.fractionCompleted, last)
            last = progress.fractionCompleted
        }
        XCTAssertEqual(last, 1)
    }

    func testFractionIsBelowOneUntilTheJobHasFinished() {
        final class Late: JobController, @unchecked Sendable {
            var atTheEnd = 1.0

            override func main() { trackAndQueue(ConcurrentOperation()) }
            override func allTasksFinished() { atTheEnd = progress.fractionCompleted }
        }
        let queue = StepQueue()
        let job = Late(queue: queue)
        let progress = job.progress
        job.startJob(on: queue)
        queue.runAll(seed: 1)
        XCTAssertLessThan(job.atTheEnd, 1)
        XCTAssertEqual(progress.fractionCompleted, 1)
    }

    func testNestedJobCountsByItsOwnFraction() {
        final class Outer: JobController, @unchecked Sendable {
            override func main() {
                trackAndQueue(Weighted([1, 1], queue: queue))
                trackAndQueue(ConcurrentOperation())
            }
        }
        let queue = StepQueue()
        let job = Outer(queue: queue)
        let progress = job.progress
        job.startJob(on: queue)
        queue.runNext()
        XCTAssertEqual(progress.fractionCompleted, 0)
        queue.runNext()
        queue.runNext()
        XCTAssertEqual(progress.fractionCompleted, 0.5)
        queue.runNext()
        XCTAssertEqual(progress.fractionCompleted, 0.75)
        queue.runNext()
        XCTAssertEqual(progress.fractionCompleted, 1)
    }

    func testCancellingTheProgressCancelsTheJob() async {
        let queue = StepQueue()
        let job = Weighted([1, 1], queue: queue)
        let finished = expectation(description: "finished")
        job.completionBlock = { finished.fulfill() }
        let progress = job.progress
        job.startJob(on: queue)
        queue.runNext()
        queue.runNext()
        // Foundation on Linux calls the handler on another thread.
        progress.cancel()
        await fulfillment(of: [finished], timeout: 300)
        XCTAssertTrue(job.isCancelled)
        XCTAssertEqual(progress.fractionCompleted, 0.5)
    }

    func testProgressReadAfterTheEndIsOne() async throws {
        let job = Weighted([1], queue: TaskQueue.shared)
        try await job.run()
        XCTAssertEqual(job.progress.fractionCompleted, 1)
    }

    func testProgressReadAfterAFailureIsTheCompletedPart() {
        let queue = StepQueue()
        let job = ScriptedJob(queue: queue) { job in
            for weight in [1, 2, 5, 2] as [Int64] {
                job.trackAndQueue(ConcurrentOperation(), weight: weight)
            }
        }
        job.onTask = { job, _ in
            if job.trackedTasks.count == 2 { job.finish(with: SampleError()) }
        }
        job.startJob(on: queue)
        while queue.runNext() != nil {}
        XCTAssertTrue(job.isFinished)
        XCTAssertEqual(job.progress.fractionCompleted, 0.3)
    }

    func testProgressOfAnEmptyJobIsOneInTheEnd() async throws {
        let job = Weighted([], queue: TaskQueue.shared)
        let progress = job.progress
        try await job.run()
        XCTAssertEqual(progress.fractionCompleted, 1)
    }

    func testParentOfFoundationsFollows() async throws {
        let job = Weighted([1, 1], queue: TaskQueue.shared)
        let parent = Progress(totalUnitCount: 10)
        parent.addChild(job.progress, withPendingUnitCount: 10)
        try await job.run()
        XCTAssertEqual(parent.fractionCompleted, 1)
    }

    func testProgressDoesNotKeepTheJob() {
        weak var weakJob: JobController?
        var progress: Progress?
        do {
            let job = Weighted([], queue: TaskQueue.shared)
            weakJob = job
            progress = job.progress
        }
        XCTAssertNil(weakJob)
        XCTAssertNotNil(progress)
    }
}
