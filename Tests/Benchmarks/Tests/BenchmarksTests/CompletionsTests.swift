import Dispatch
import Testing

@testable import benchmarks

/// Ends the program if a round lost a completion or has one too many.
@Suite struct CompletionsTests {
    @Test func allCompletionsEndTheWait() {
        let completions = Completions(expected: 2)
        completions.complete()
        completions.complete()
        completions.wait()
        completions.verify()
    }

    @Test func lostCompletionTrapsWhenTheWaitRunsOut() async {
        await #expect(processExitsWith: .failure) {
            let completions = Completions(expected: 2)
            completions.complete()
            completions.wait(timeout: .milliseconds(1))
        }
    }

    @Test func completionTooManyTraps() async {
        await #expect(processExitsWith: .failure) {
            let completions = Completions(expected: 1)
            completions.complete()
            completions.complete()
        }
    }

    @Test func variantThatLosesACompletionTraps() async {
        await #expect(processExitsWith: .failure) {
            let variant = Variant.cost("loses one") { trial in
                trial.timeUncounted {}
                for _ in 1..<trial.size { trial.completions.complete() }
            }
            _ = variant.run(10)
        }
    }

    @Test func variantThatTimesNothingTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = Variant.cost("idle") { _ in }.run(10)
        }
    }

    @Test func variantThatMakesNoRoundTripsTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = Variant.latency("idle") { _ in }.run(10)
        }
    }

    @Test func variantThatCompletesEverythingHasItsFigure() {
        let variant = Variant.cost("complete") { trial in
            trial.time { for _ in 0..<trial.size { trial.completions.complete() } }
        }
        #expect(variant.run(10).map(\.figure) == [.cost])
    }
}
