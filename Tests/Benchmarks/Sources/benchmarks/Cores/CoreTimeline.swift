/// The activity of each thread during a round, derived from its notes.
struct CoreTimeline: Sendable {
    typealias Note = CoreLog.Note

    /// A thread's time from one note to its next.
    struct Stretch: Sendable {
        let doing: CoreLog.Doing
        let begin: UInt64
        let end: UInt64
        /// The processor time that the thread used in the interval.
        let used: UInt64
    }

    /// The intervals of each thread, in order.
    ///
    /// The threads are in order of their first notes.
    let threads: [[Stretch]]
    let begin: UInt64
    let end: UInt64

    /// Evaluates a round that took from `begin` to `end`.
    init(_ notes: [Note], begin: UInt64, end: UInt64) {
        let byThread = Dictionary(grouping: notes, by: \.thread).values
            .map { $0.sorted { $0.time < $1.time } }
            .sorted { ($0.first?.time ?? 0) < ($1.first?.time ?? 0) }
        threads = byThread.map { notes in
            zip(notes, notes.dropFirst())
                .map { note, next in
                    Stretch(
                        doing: note.doing,
                        begin: note.time,
                        end: next.time,
                        used: min(next.used - note.used, next.time - note.time)
                    )
                }
        }
        (self.begin, self.end) = (begin, end)
    }

    // MARK: Shares

    /// How the cores spent their time, as fractions of it.
    struct Shares: Equatable, Sendable {
        var working = 0.0
        var adding = 0.0
        var completing = 0.0
        /// The queue's own code between two notes, which starts, finishes and finds tasks.
        var queue = 0.0
        /// Other threads of the process: timers, and threads that wake up or go to sleep.
        var others = 0.0
        /// No thread of the process had a core.
        var unused = 0.0
    }

    /// The shares of `cores` cores, if the whole process used `used` nanoseconds of processor time.
    func shares(cores: Int, used: UInt64) -> Shares {
        let whole = Double(end - begin) * Double(cores)
        var shares = Shares()
        for stretch in threads.joined() {
            let share = Double(stretch.used) / whole
            switch stretch.doing {
            case .working: shares.working += share
            case .adding: shares.adding += share
            case .completing: shares.completing += share
            case .between: shares.queue += share
            }
        }
        let known = shares.working + shares.adding + shares.completing + shares.queue
        shares.others = max(0, Double(used) / whole - known)
        shares.unused = max(0, 1 - known - shares.others)
        return shares
    }

    // MARK: Text

    /// Returns a line for each thread, with a character for each of `columns` parts of the
    /// interval.
    ///
    /// `a` adding, `█` working, `c` completing, `·` on a core in the queue's code, blank: not on a
    /// core. The character shows the activity that took most of its part.
    func lines(from first: UInt64, to last: UInt64, columns: Int) -> [String] {
        threads.map { stretches in
            let length = Double(last - first) / Double(columns)
            var parts = Array(repeating: [Character: Double](), count: columns)
            for stretch in stretches where stretch.end > first && stretch.begin < last {
                let from = Double(max(stretch.begin, first) - first)
                let to = Double(min(stretch.end, last) - first)
                let onCore = Double(stretch.used) / Double(max(1, stretch.end - stretch.begin))
                let columns = Int(from / length)..<min(columns, Int(to / length) + 1)
                for column in columns {
                    let begin = max(from, Double(column) * length)
                    let share = min(to, Double(column + 1) * length) - begin
                    guard share > 0 else { continue }
                    parts[column][stretch.doing.character, default: 0] += share * onCore
                }
            }
            return String(
                parts.map { part in
                    let most = part.max { ($0.value, $1.key) < ($1.value, $0.key) }
                    // A thread counts as idle if it had a core for less than a quarter of the part.
                    guard let most, part.values.reduce(0, +) >= length / 4 else { return " " }
                    return most.key
                }
            )
        }
    }
}

extension CoreLog.Doing {
    fileprivate var character: Character {
        switch self {
        case .adding: "a"
        case .working: "█"
        case .completing: "c"
        case .between: "·"
        }
    }
}
