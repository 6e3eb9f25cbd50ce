/// Decides at each half of a heartbeat's interval whether the broker is still there.
package struct HeartbeatMonitor {
    /// Five halves of an interval without a byte end a connection: 12.5 s at 5 s.
    static let mostSilentTicks = 5

    private var silentTicks = 0

    /// A monitor of a connection that has just been opened.
    package init() {}

    /// Something came from the broker.
    package mutating func received() {
        silentTicks = 0
    }

    /// Half an interval has passed.
    ///
    /// - Returns: Whether the connection is still alive.
    package mutating func ticked() -> Bool {
        silentTicks += 1
        return silentTicks <= HeartbeatMonitor.mostSilentTicks
    }
}
