import Testing

@testable import benchmarks

@Suite struct LockTrialTests {
    @Test(arguments: [1, 4]) func everyLockCountsEachLocking(threads: Int) {
        let trial = LockTrial(threads: threads, lockings: 1_000, gap: 3)
        for cost in [
            trial.run(GuardedCount.self), trial.run(MutexCount.self),
            trial.run(FoundationCount.self),
        ] {
            #expect(cost.time > 0 && cost.used > 0)
        }
    }
}
