import JobStore
import Synchronization

/// The newest record of each unfinished run and of the latest other runs.
///
/// All views of a run use these records, so that a run never appears to go back.
///
/// > Thread: Any.
final class RunBoard: Sendable {
    /// The number of remembered runs that have ended.
    static let memory = 500

    private struct Board: Sendable {
        var records: [Int64: RunRecord] = [:]
        var order: [Int64] = []
        var oldest = 0
    }

    private let board = Mutex(Board())

    /// Stores a run's record unless a later one is known.
    ///
    /// - Returns: Whether something changed.
    @discardableResult
    func put(_ record: RunRecord) -> Bool {
        board.withLock { board in
            if let known = board.records[record.id] {
                guard record.isLater(than: known) else { return false }
                board.records[record.id] = record
                return true
            }
            board.records[record.id] = record
            board.order.append(record.id)
            forget(&board)
            return true
        }
    }

    /// Stores a record unconditionally, for values that may change in both directions.
    func replace(_ record: RunRecord) {
        board.withLock { board in
            guard board.records[record.id]?.state == record.state else { return }
            board.records[record.id] = record
        }
    }

    /// Removes a deleted run.
    func remove(_ id: Int64) {
        board.withLock { board in
            board.records[id] = nil
            board.order.removeAll { $0 == id }
            board.oldest = min(board.oldest, board.order.count)
        }
    }

    /// The known records of runs.
    func records(_ ids: some Sequence<Int64>) -> [Int64: RunRecord] {
        board.withLock { board in
            var found: [Int64: RunRecord] = [:]
            for id in ids { found[id] = board.records[id] }
            return found
        }
    }

    /// Replaces records from the database by newer ones from the board.
    ///
    /// An end is in the database a moment before it is on the board. A reader that has read it from
    /// the database must not receive an older record afterwards.
    func newest(_ stored: [RunRecord]) -> [RunRecord] {
        board.withLock { board in
            stored.map { record in
                guard let known = board.records[record.id] else { return record }
                guard !known.isLater(than: record) else { return known }
                if record.isLater(than: known) { board.records[record.id] = record }
                return record
            }
        }
    }

    private func forget(_ board: inout Board) {
        // Unfinished runs stay and move behind the others. Each run is checked once in a round.
        var looked = 0
        while board.order.count - board.oldest > Self.memory, looked < Self.memory {
            let id = board.order[board.oldest]
            board.oldest += 1
            looked += 1
            if board.records[id]?.state.isEnd == false {
                board.order.append(id)
            } else {
                board.records[id] = nil
            }
        }
        guard board.oldest > Self.memory else { return }
        board.order.removeFirst(board.oldest)
        board.oldest = 0
    }
}

extension RunRecord {
    /// Whether this record is later than another one.
    ///
    /// States and numbers only increase.
    func isLater(than other: RunRecord) -> Bool {
        if state != other.state { return state.rank > other.state.rank }
        guard !state.isEnd else { return false }
        if cancelRequestedAt != nil, other.cancelRequestedAt == nil { return true }
        return progress > other.progress || tasksTracked > other.tasksTracked
            || tasksFinished > other.tasksFinished || tasksFailed > other.tasksFailed
    }
}

extension RunState {
    /// The order of states in a run.
    fileprivate var rank: Int {
        switch self {
        case .queued: 0
        case .running: 1
        default: 2
        }
    }
}
