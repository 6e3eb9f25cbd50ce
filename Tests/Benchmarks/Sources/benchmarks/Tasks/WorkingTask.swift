import JobKit

/// A task that works for a given time.
// Unchecked, like every Operation subclass: its only state is an immutable Sendable value.
final class WorkingTask: ConcurrentOperation, @unchecked Sendable {
    private let work: ProcessorWork

    /// Creates a task that performs `work` once.
    init(_ work: ProcessorWork) {
        self.work = work
        super.init()
    }

    override func main() {
        work.perform()
        finish()
    }
}
