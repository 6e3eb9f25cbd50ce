import Dispatch

/// Calls a closure once after a time, unless it is cancelled first.
///
/// A cancelled timer is released at once. A cancelled `Task.sleep` keeps its memory until its time
/// is over, so each short run with a time limit of an hour would cost memory for an hour.
///
/// > Thread: One. The closure is called on a global queue of Dispatch.
final class RunTimer {
    private let source: any DispatchSourceTimer

    /// Starts the timer.
    init(after time: Duration, _ body: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: .global())
        source.setEventHandler { body() }
        source.schedule(deadline: .now() + time / .seconds(1))
        source.activate()
    }

    /// Prevents a call that has not begun.
    func cancel() { source.cancel() }

    deinit { cancel() }
}
