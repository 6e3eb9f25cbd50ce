// Operation forces @unchecked. The delay is a constant.
/// The delay between two attempts, as a task: it keeps the retry going, and is cancelled with it.
///
/// Timelines show the name of the class.
final class Delay: ConcurrentOperation, @unchecked Sendable {
    private let delay: Duration

    init(_ delay: Duration, on clock: any Clock<Duration>) {
        self.delay = delay
        super.init()
        self.clock = clock
        name = "delay of \(delay)"
    }

    override func main() {
        perform(after: delay) { self.finish() }
    }
}
