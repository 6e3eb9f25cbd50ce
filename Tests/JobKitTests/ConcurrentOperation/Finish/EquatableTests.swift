import JobKit
import Testing

/// Errors and snapshots are values that a test can compare.
@Suite struct EquatableTests {
    @Test func errorsAreEqualIfTheirTextIsEqual() {
        let timeout = OperationTimeoutError(name: "a", limit: .seconds(1))
        #expect(timeout == OperationTimeoutError(name: "a", limit: .milliseconds(1_000)))
        #expect(timeout != OperationTimeoutError(name: "a", limit: .seconds(2)))
        #expect(timeout != OperationTimeoutError(name: "b", limit: .seconds(1)))
        #expect(CallbackLostError(name: "a") == CallbackLostError(name: "a"))
        #expect(CallbackLostError(name: "a") != CallbackLostError(name: "b"))
        #expect(
            JobStopTimeoutError(name: "a", explanation: "b")
                != JobStopTimeoutError(name: "a", explanation: "c")
        )
    }

    @Test func anErrorThatIsThrownCanBeExpectedByValue() async {
        let operation = ResultOperation<Int>()
        operation.name = "sum"
        operation.finish()
        operation.start()
        await #expect(throws: MissingResultError(name: "sum")) { try await operation.value }
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
