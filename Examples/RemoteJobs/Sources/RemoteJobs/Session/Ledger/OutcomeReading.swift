/// Decides which parts of a job's stream are read again for outcomes that were not kept in memory.
///
/// One reading covers the offsets from the first wanted one to the last. Outcomes that are
/// requested after its end, or at offsets that it has passed, need another reading.
struct OutcomeReading {
    /// The consequences of one message for the waiting tasks.
    struct Step: Equatable {
        /// The tasks with their outcome in the message.
        var due: [TaskName] = []
        /// The tasks without an outcome in the stream, which has dropped it.
        var gone: [TaskName] = []
        /// Whether the reading is complete.
        var isOver = false
    }

    private var wanted: [Int: [TaskName]] = [:]
    /// The offset that the current reading expects next.
    private var next: Int?
    private var last = 0

    /// Requests the outcome at an offset for a task.
    ///
    /// - Returns: Whether a reading must begin.
    mutating func want(_ name: TaskName, at offset: Int) -> Bool {
        wanted[offset, default: []].append(name)
        if let next, offset >= next { last = max(last, offset) }
        return next == nil
    }

    /// Begins a reading.
    ///
    /// - Returns: Its first offset, or nil if a reading is under way or nothing is wanted.
    mutating func begin() -> Int? {
        guard next == nil, let first = wanted.keys.min() else { return nil }
        next = first
        last = wanted.keys.max() ?? first
        return first
    }

    /// Handles a message of the reading.
    mutating func read(_ offset: Int) -> Step {
        guard let expected = next, offset >= expected else { return Step() }
        var step = Step(due: wanted.removeValue(forKey: offset) ?? [])
        if offset > expected {
            for missed in wanted.keys.filter({ (expected..<offset).contains($0) }).sorted() {
                step.gone += wanted.removeValue(forKey: missed) ?? []
            }
        }
        next = offset + 1
        if offset >= last {
            next = nil
            step.isOver = true
        }
        return step
    }

    /// Ends the reading early.
    ///
    /// Its remaining requests stay.
    mutating func interrupted() {
        next = nil
    }
}
