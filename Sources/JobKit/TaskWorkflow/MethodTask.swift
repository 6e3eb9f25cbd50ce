// Operation forces @unchecked. The target and the method are constants.
/// A launch task that calls a method of an object.
///
/// ```swift
/// workflow.addTask(MethodTask(name: "Window", target: self, method: AppDelegate.makeWindow))
/// ```
///
/// The object is held weakly: if it is gone when the task's turn comes, the task does nothing.
public final class MethodTask<Target: AnyObject>: LaunchTask, @unchecked Sendable {
    private weak let target: Target?
    private let method: @Sendable (Target) -> () -> Void

    /// Makes a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: What the timeline and messages call the task.
    ///   - queue: Where the method is called.
    ///   - target: The object; held weakly.
    ///   - method: The method, such as `AppDelegate.makeWindow`.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        target: Target,
        method: @escaping @Sendable (Target) -> () -> Void
    ) {
        self.target = target
        self.method = method
        super.init(name: name, queue: queue)
    }

    /// Calls the method.
    public override func main(context: LaunchContext) {
        if let target { method(target)() }
    }
}
