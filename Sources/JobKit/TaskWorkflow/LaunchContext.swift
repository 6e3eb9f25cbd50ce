/// Values that the starter of a workflow passes to every task: launch options, a window, a user.
public typealias LaunchContext = [String: any Sendable]
