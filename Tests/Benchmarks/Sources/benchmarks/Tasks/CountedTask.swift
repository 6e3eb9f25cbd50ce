import JobKit

/// A task whose work is to count its completion, for queues that are measured without a job.
// Unchecked, as every Operation subclass: its only state is an immutable Sendable reference.
final class CountedTask: ConcurrentOperation, @unchecked Sendable {
    private let completions: Completions

    /// Makes a task that counts itself once it runs.
    init(_ completions: Completions) {
        self.completions = completions
        super.init()
    }

    override func main() {
        completions.complete()
        finish()
    }
}
