#if canImport(ObjectiveC)
import Foundation

// Operation forces @unchecked. The target and the selector are constants.
/// A launch task that sends a message to an Objective-C object.
///
/// The object is held weakly. If it no longer exists when the task has its turn, the task does
/// nothing.
public final class SelectorTask: LaunchTask, @unchecked Sendable {
    /// This reference never changes, but a `weak let` would not compile with the oldest supported
    /// toolchain.
    nonisolated(unsafe) private weak var target: (any NSObjectProtocol)?
    private let selector: Selector

    /// Creates a task that has not been started.
    ///
    /// - Parameters:
    ///   - name: The task's name in the timeline and in messages.
    ///   - queue: The queue on which the message is sent.
    ///   - target: The object, which is held weakly.
    ///   - selector: A method without parameters, or with one parameter, which receives the context
    ///     as an `NSDictionary`.
    public init(
        name: String,
        queue: LaunchTaskQueue = .mainQueue,
        target: any NSObjectProtocol,
        selector: Selector
    ) {
        self.target = target
        self.selector = selector
        super.init(name: name, queue: queue)
    }

    /// Sends the message.
    public override func main(context: LaunchContext) {
        if NSStringFromSelector(selector).hasSuffix(":") {
            _ = target?.perform(selector, with: (context as [String: Any]) as NSDictionary)
        } else {
            _ = target?.perform(selector)
        }
    }
}
#endif
