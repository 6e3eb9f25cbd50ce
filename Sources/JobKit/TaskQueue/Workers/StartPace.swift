/// How quickly a queue starts operations, from one question to the next.
struct StartPace {
    private var time: UInt64 = 0
    private var startCount = 0

    /// Shorter than it takes to add an operation, to be woken by its end and to add the next.
    static let quickStart: UInt64 = 8_000

    /// Whether operations have been started quickly since this was last asked, until `now` in
    /// nanoseconds, when the queue has started `startCount` in all.
    mutating func isQuick(at now: UInt64, startCount: Int) -> Bool {
        defer { (time, self.startCount) = (now, startCount) }
        return now < time + UInt64(startCount - self.startCount) * Self.quickStart
    }
}
