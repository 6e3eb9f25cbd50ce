/// Decides from where a job's stream is read again, for outcomes of which only the place was kept.
///
/// A reading goes on from the first place that is wanted to the last. What is wanted before it, or
/// when it has ended, has a reading of its own.
struct OutcomeReading {
    /// What a message is to the tasks that wait.
    struct Step: Equatable {
        /// Those whose outcome the message is.
        var due: [TaskName] = []
        /// Those whose outcome the stream does not have any more.
        var gone: [TaskName] = []
        /// Whether nothing more is wanted of this reading.
        var isOver = false
    }

    private var wanted: [Int: [TaskName]] = [:]
    /// What comes next by the reading that is under way.
    private var next: Int?
    private var last = 0

    /// A task waits for what stands at an offset.
    ///
    /// - Returns: Whether a reading is to be begun.
    mutating func want(_ name: TaskName, at offset: Int) -> Bool {
        wanted[offset, default: []].append(name)
        if let next, offset >= next { last = max(last, offset) }
        return next == nil
    }

    /// Begins a reading.
    ///
    /// - Returns: The offset from which; nil if one is under way, or nothing is wanted.
    mutating func begin() -> Int? {
        guard next == nil, let first = wanted.keys.min() else { return nil }
        next = first
        last = wanted.keys.max() ?? first
        return first
    }

    /// A message came by the reading.
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

    /// The reading has ended before its time: what is wanted is wanted still.
    mutating func interrupted() {
        next = nil
    }
}
