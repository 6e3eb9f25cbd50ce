/// Times one round of a workload, from its first call to its last counted completion.
///
/// A variant's setup before ``time(_:)`` and its cleanup afterwards are not timed.
final class CostTrial {
    /// The number of tasks in the round.
    let size: Int
    /// The counter that the variant must use.
    let completions: Completions

    private var elapsed: Duration?
    private var processorTime: UInt64 = 0

    /// Prepares a round of `size` tasks that complete once each.
    init(size: Int) {
        self.size = size
        completions = Completions(expected: size)
    }

    /// Times `body` and the wait for the last completion after it.
    func time(_ body: () -> Void) {
        timeUncounted {
            body()
            completions.wait()
        }
    }

    /// Times `body` alone, which waits itself.
    ///
    /// The variant counts the completions afterwards.
    func timeUncounted(_ body: () -> Void) {
        let before = ProcessorTime.ofProcess
        elapsed = ContinuousClock().measure(body)
        processorTime = ProcessorTime.ofProcess - before
    }

    /// The round's cost.
    ///
    /// Traps if nothing was timed or a task completed twice.
    var nanosecondsPerTask: Double {
        guard let elapsed else { fatalError("the variant timed nothing") }
        completions.verify()
        return elapsed.nanoseconds / Double(size)
    }

    /// The processor time of all threads during the timed part, divided by the tasks.
    var processorNanosecondsPerTask: Double { Double(processorTime) / Double(size) }
}
