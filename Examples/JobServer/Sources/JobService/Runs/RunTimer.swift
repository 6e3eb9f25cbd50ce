import Dispatch

/// Calls a closure once after a time, unless it is cancelled first.
///
/// A cancelled timer is released at once. A cancelled `Task.sleep` keeps its memory until its time
/// is over, so each short run with a time limit of an hour would cost memory for an hour.
///
/// > Thread: One. The closure is called on its own thread, which no job can block.
final class RunTimer {
    /// The queue of all timers, which only starts the calls.
    static let queue = DispatchQueue(label: "job-server.timers")

    private let source: any DispatchSourceTimer

    /// Starts the timer.
    init(after time: Duration, _ body: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: Self.queue)
        source.setEventHandler { DispatchQueue.withOwnThread().async(execute: body) }
        source.schedule(deadline: .now() + time / .seconds(1))
        source.activate()
    }

    /// Prevents a call that has not begun.
    func cancel() { source.cancel() }

    deinit { cancel() }
}
