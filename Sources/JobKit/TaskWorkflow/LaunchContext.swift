/// What the code that starts a workflow gives to every task: launch options, a window, a user.
public typealias LaunchContext = [String: any Sendable]
