/// Where a launch task runs.
public enum LaunchTaskQueue: Sendable {
    /// On the main thread, in the order added.
    case mainQueue
    /// On a thread of the workflow's queue, concurrently with others, as soon as its stage opens.
    case concurrentQueue
}
