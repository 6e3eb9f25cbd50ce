/// Decides which connection without a request is closed to make room.
struct SilentConnectionsStateMachine: Sendable {
    let limit: Int
    private var order: [Int] = []
    private var made = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds an opened connection.
    ///
    /// - Returns: Its number, and the number of the longest silent connection if that must be
    ///   closed.
    mutating func opened() -> (id: Int, closing: Int?) {
        made += 1
        order.append(made)
        return (made, order.count > limit ? order.removeFirst() : nil)
    }

    /// Removes a connection that has sent a request or was closed.
    mutating func spokeOrClosed(_ id: Int) {
        order.removeAll { $0 == id }
    }
}
