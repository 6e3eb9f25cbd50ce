/// An object that is called when a timer is due.
protocol TimerTarget: AnyObject, Sendable {
    /// The time has passed. Called on a thread that may be blocked.
    ///
    /// - Parameter id: The number that was given with the target.
    func timerPassed(_ id: Int)
}

/// Calls a closure.
final class ClosureTimerTarget: TimerTarget {
    private let body: @Sendable (Int) -> Void

    init(_ body: @escaping @Sendable (Int) -> Void) { self.body = body }

    func timerPassed(_ id: Int) { body(id) }
}
