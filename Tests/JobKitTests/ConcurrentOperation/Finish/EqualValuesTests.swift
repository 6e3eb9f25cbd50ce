import JobKit
import Testing

/// Errors and snapshots are values that a test can compare.
@Suite struct EqualValuesTests {
    @Test func errorsAreEqualIfTheySayTheSame() {
        let overrun = OperationTimedOut(limit: .seconds(1))
        #expect(overrun == OperationTimedOut(limit: .milliseconds(1_000)))
        #expect(overrun != OperationTimedOut(limit: .seconds(2)))
        #expect(CallbackLost(name: "a") == CallbackLost(name: "a"))
        #expect(CallbackLost(name: "a") != CallbackLost(name: "b"))
        #expect(JobDidNotStop(explanation: "a") != JobDidNotStop(explanation: "b"))
    }

    @Test func anErrorThatIsThrownCanBeExpectedByValue() async {
        let operation = ResultOperation<Int>()
        operation.finish()
        operation.start()
        await #expect(throws: NoResult()) { try await operation.value }
    }

    @Test func snapshotsAreEqualWhileNothingHappens() {
        let job = JobController(queue: TaskQueue(maxConcurrentOperationCount: 1))
        let before = job.snapshot()
        #expect(before == job.snapshot())
        job.track(ClosureOperation(name: "a") {})
        #expect(before != job.snapshot())
        job.cancel()
    }
}
