import JobKit

/// A task that only counts its completion, for queues that are measured without a job.
// Unchecked, like every Operation subclass: its only state is an immutable Sendable reference.
final class CountedTask: ConcurrentOperation, @unchecked Sendable {
    private let completions: Completions

    /// Creates a task that counts itself when it runs.
    init(_ completions: Completions) {
        self.completions = completions
        super.init()
    }

    override func main() {
        completions.complete()
        finish()
    }
}
