import JobKit

/// A task that works for a given time.
// Unchecked, as every Operation subclass: its only state is an immutable Sendable value.
final class WorkingTask: ConcurrentOperation, @unchecked Sendable {
    private let work: ProcessorWork

    /// Makes a task that does `work` once.
    init(_ work: ProcessorWork) {
        self.work = work
        super.init()
    }

    override func main() {
        work.perform()
        finish()
    }
}
