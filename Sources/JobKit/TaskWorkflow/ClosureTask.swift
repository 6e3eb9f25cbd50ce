// Operation forces @unchecked. The body is a constant.
/// A launch task that runs a closure.
public final class ClosureTask: LaunchTask, @unchecked Sendable {
    private let body: @Sendable (LaunchContext) throws -> Void

    /// Makes a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: What the timeline and messages call the task.
    ///   - queue: Where the closure runs.
    ///   - body: The work; an error that it throws is the task's. Released with the task.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        _ body: @escaping @Sendable (LaunchContext) throws -> Void
    ) {
        self.body = body
        super.init(name: name, queue: queue)
    }

    /// Runs the closure.
    public override func main(context: LaunchContext) {
        do { try body(context) } catch { finish(with: error) }
    }
}
