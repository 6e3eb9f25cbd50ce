import Testing

@testable import RemoteJobs

@Suite struct TaskRunnerTests {
    @Test func theNoteSaysTheTimeFromTheFirstSecondOn() {
        let start = ContinuousClock.now
        let runner = TaskRunner(worker: "h2", attempt: 2, since: start)
        #expect(runner.note(at: start + .milliseconds(999)) == "on h2, attempt 2")
        #expect(runner.note(at: start + .milliseconds(3_900)) == "on h2, attempt 2 for 3 s")
    }
}
