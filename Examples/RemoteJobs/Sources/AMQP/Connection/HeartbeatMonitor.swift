/// Detects a broker that has become silent, checking once per half heartbeat interval.
package struct HeartbeatMonitor {
    /// A connection ends after five half intervals without a byte, 12.5 s for an interval of 5 s.
    static let mostSilentTicks = 5

    private var silentTicks = 0

    /// Creates the monitor of a connection that has just opened.
    package init() {}

    /// Records that bytes have come from the broker.
    package mutating func received() {
        silentTicks = 0
    }

    /// Counts one more half interval.
    ///
    /// - Returns: Whether the connection is still alive.
    package mutating func ticked() -> Bool {
        silentTicks += 1
        return silentTicks <= HeartbeatMonitor.mostSilentTicks
    }
}
