// Operation forces @unchecked. The target and the method are constants.
/// A launch task that calls a method of an object.
///
/// ```swift
/// workflow.addTask(MethodTask(name: "Window", target: self, method: AppDelegate.makeWindow))
/// ```
///
/// The object is held weakly. If it no longer exists when the task has its turn, the task does
/// nothing.
///
/// A main-actor method runs on the main thread. Creating such a task with the concurrent queue
/// traps.
public final class MethodTask<Target: AnyObject>: LaunchTask, @unchecked Sendable {
    /// This reference never changes, but a `weak let` would not compile with the oldest supported
    /// toolchain.
    nonisolated(unsafe) private weak var target: Target?
    private let call: @Sendable (Target) throws -> Void

    /// Creates a task for a method that may run on any thread.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: The queue on which the method is called.
    ///   - target: The object, which is held weakly.
    ///   - method: The method, such as `AppDelegate.makeWindow`.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        target: Target,
        method: @escaping @Sendable (Target) -> () -> Void
    ) {
        self.target = target
        call = { method($0)() }
        super.init(name: name, queue: queue)
    }

    /// Creates a task for a main-actor method.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: The main queue. Any other queue traps.
    ///   - target: The object, which is held weakly.
    ///   - method: The method, such as `AppDelegate.makeWindow`. If it throws an error, the task
    ///     fails with that error.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        target: Target,
        method: @escaping @Sendable (Target) -> @MainActor () throws -> Void
    ) {
        guard case .mainQueue = queue else {
            fatalError(
                "JobKit: the method of \(name) belongs to the main actor: "
                    + "it cannot run on the concurrent queue."
            )
        }
        self.target = target
        call = { target in
            let method = method(target)
            try MainThread.assumeMainActor(for: name, method)
        }
        super.init(name: name, queue: queue)
    }

    /// Calls the method.
    public override func main(context: LaunchContext) {
        guard let target else { return }
        do { try call(target) } catch { finish(with: error) }
    }
}
