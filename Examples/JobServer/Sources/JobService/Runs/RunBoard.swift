import JobStore
import Synchronization

/// The newest known record of runs that run, and of the last few others.
///
/// What is shown of a run comes from here, so that nobody sees it go back.
///
/// > Thread: Any.
final class RunBoard: Sendable {
    /// How many runs that are queued or ended are remembered.
    static let memory = 500

    private struct Board: Sendable {
        var records: [Int64: RunRecord] = [:]
        var order: [Int64] = []
        var oldest = 0
    }

    private let board = Mutex(Board())

    /// Puts a run's record up, unless a later one is known.
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

    /// The records of runs, as far as they are known here.
    func records(_ ids: some Sequence<Int64>) -> [Int64: RunRecord] {
        board.withLock { board in
            var found: [Int64: RunRecord] = [:]
            for id in ids { found[id] = board.records[id] }
            return found
        }
    }

    /// Records from the database, or what is newer here.
    func newest(_ stored: [RunRecord]) -> [RunRecord] {
        let known = records(stored.map(\.id))
        return stored.map { record in
            guard let other = known[record.id], other.isLater(than: record) else { return record }
            return other
        }
    }

    private func forget(_ board: inout Board) {
        while board.order.count - board.oldest > Self.memory {
            let id = board.order[board.oldest]
            board.oldest += 1
            // A run that runs stays, behind the others.
            if board.records[id]?.state == .running {
                board.order.append(id)
                if board.order.count - board.oldest > 2 * Self.memory { break }
                continue
            }
            board.records[id] = nil
        }
        guard board.oldest > Self.memory else { return }
        board.order.removeFirst(board.oldest)
        board.oldest = 0
    }
}

extension RunRecord {
    /// Whether this says more of the run than another record: its life and its numbers only go forward.
    func isLater(than other: RunRecord) -> Bool {
        if state != other.state { return state.rank > other.state.rank }
        guard !state.isEnd else { return false }
        return progress > other.progress || tasksTracked > other.tasksTracked
            || tasksFinished > other.tasksFinished || tasksFailed > other.tasksFailed
    }
}

extension RunState {
    /// The order of states in a run's life.
    fileprivate var rank: Int {
        switch self {
        case .queued: 0
        case .running: 1
        default: 2
        }
    }
}
