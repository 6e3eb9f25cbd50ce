import Foundation
import JobKit

/// A job that tracks and queues all its tasks in `main()`, each with a completion.
// Unchecked, like every Operation subclass: its own state is immutable and Sendable.
final class FanOutJob<Child: Operation>: JobController, @unchecked Sendable {
    private let size: Int
    private let completions: Completions
    private let makeTask: @Sendable () -> Child

    /// Creates a job of `size` tasks.
    init(
        queue: any OperationScheduling,
        size: Int,
        completions: Completions,
        makeTask: @escaping @Sendable () -> Child
    ) {
        self.size = size
        self.completions = completions
        self.makeTask = makeTask
        super.init(queue: queue)
    }

    override func main() {
        for _ in 0..<size {
            trackAndQueue(makeTask()) { [completions] _ in completions.complete() }
        }
    }
}
