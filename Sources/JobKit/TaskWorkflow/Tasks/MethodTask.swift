// Operation forces @unchecked. The target and the method are constants.
/// A launch task that calls a method of an object.
///
/// ```swift
/// workflow.addTask(MethodTask(name: "Window", target: self, method: AppDelegate.makeWindow))
/// ```
///
/// The object is held weakly: if it is gone when the task's turn comes, the task does nothing.
///
/// A main-actor method runs on the main thread. Creating such a task with the concurrent queue
/// traps.
public final class MethodTask<Target: AnyObject>: LaunchTask, @unchecked Sendable {
    /// Never changed; a `weak let` would not compile with the oldest toolchain that JobKit
    /// supports.
    nonisolated(unsafe) private weak var target: Target?
    private let call: @Sendable (Target) throws -> Void

    /// Creates a task for a method that may run on any thread.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
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
        call = { method($0)() }
        super.init(name: name, queue: queue)
    }

    /// Creates a task for a main-actor method.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: The main queue; another traps.
    ///   - target: The object; held weakly.
    ///   - method: The method, such as `AppDelegate.makeWindow`; an error that it throws becomes
    ///     the task's.
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
