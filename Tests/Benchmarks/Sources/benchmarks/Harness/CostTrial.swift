/// Times one round of a workload, from its first call to its last counted completion.
///
/// What a variant sets up before ``time(_:)`` and drains after it is not timed.
final class CostTrial {
    /// How many tasks the round has.
    let size: Int
    /// What the variant counts with.
    let completions: Completions

    private var elapsed: Duration?
    private var processorTime: UInt64 = 0

    /// Prepares a round of `size` tasks, of which each completes once.
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

    /// Times `body` alone, which waits by itself; the variant counts the completions afterwards.
    func timeUncounted(_ body: () -> Void) {
        let before = ProcessorTime.ofProcess
        elapsed = ContinuousClock().measure(body)
        processorTime = ProcessorTime.ofProcess - before
    }

    /// The round's cost; traps if nothing was timed or a completion came twice.
    var nanosecondsPerTask: Double {
        guard let elapsed else { fatalError("the variant timed nothing") }
        completions.verify()
        return elapsed.nanoseconds / Double(size)
    }

    /// What all threads together spent meanwhile.
    var processorNanosecondsPerTask: Double { Double(processorTime) / Double(size) }
}
