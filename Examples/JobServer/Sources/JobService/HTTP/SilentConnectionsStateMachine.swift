/// Decides which connection makes room, of those that have not asked anything yet.
struct SilentConnectionsStateMachine: Sendable {
    let limit: Int
    private var order: [Int] = []
    private var made = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// A connection was opened.
    ///
    /// - Returns: Its number, and that of the one that is closed for it: the one that is silent longest.
    mutating func opened() -> (id: Int, closing: Int?) {
        made += 1
        order.append(made)
        return (made, order.count > limit ? order.removeFirst() : nil)
    }

    /// A connection has asked something, or was closed.
    mutating func spokeOrClosed(_ id: Int) {
        order.removeAll { $0 == id }
    }
}
