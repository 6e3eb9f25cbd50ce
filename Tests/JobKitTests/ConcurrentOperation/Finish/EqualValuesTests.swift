import JobKit
import Testing

/// Errors and snapshots are values that a test can compare.
@Suite struct EqualValuesTests {
    @Test func errorsAreEqualIfTheySayTheSame() {
        let overrun = OperationTimeoutError(limit: .seconds(1))
        #expect(overrun == OperationTimeoutError(limit: .milliseconds(1_000)))
        #expect(overrun != OperationTimeoutError(limit: .seconds(2)))
        #expect(CallbackLostError(name: "a") == CallbackLostError(name: "a"))
        #expect(CallbackLostError(name: "a") != CallbackLostError(name: "b"))
        #expect(JobStopTimeoutError(explanation: "a") != JobStopTimeoutError(explanation: "b"))
    }

    @Test func anErrorThatIsThrownCanBeExpectedByValue() async {
        let operation = ResultOperation<Int>()
        operation.finish()
        operation.start()
        await #expect(throws: MissingResultError()) { try await operation.value }
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
