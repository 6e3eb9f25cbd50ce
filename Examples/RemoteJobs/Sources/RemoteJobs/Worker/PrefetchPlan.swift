/// Decides how many tasks a worker holds beside those that run.
///
/// What one worker holds, another one cannot run. So it holds what it is going to run in a tenth of
/// a second: many short tasks, and of long ones none that waits.
struct PrefetchPlan {
    /// For how long, in seconds, what is held lasts; it covers the way to the broker and back.
    private static let stock = 0.1

    private let width: Int
    private let most: Int
    /// How long a task takes, in seconds: an average in which the latest count most.
    private var length: Double?

    /// - Parameters:
    ///   - width: How many tasks run at a time.
    ///   - most: How many may be held at most, running ones included.
    init(width: Int, most: Int) {
        self.width = width
        self.most = most
    }

    /// A task has run for so many seconds.
    mutating func ran(_ seconds: Double) {
        guard seconds >= 0 else { return }
        length = length.map { $0 * 0.9 + seconds * 0.1 } ?? seconds
    }

    /// How many tasks are held, running ones included.
    var held: Int {
        guard let length else { return min(most, width) }
        let ahead = Double(width) * Self.stock / max(length, 1e-6)
        return min(most, width + Int(min(Double(most), ahead)))
    }

    /// How many are held of each of so many jobs.
    ///
    /// - Parameters:
    ///   - jobs: How many jobs.
    ///   - ended: How many tasks have ended whose outcome the broker has not confirmed: they are held
    ///     too, and others could run meanwhile.
    /// - Returns: How many, at least one.
    func held(ofEachOf jobs: Int, ended: Int = 0) -> Int {
        let jobs = max(1, jobs)
        return max(1, (min(most, held + ended) + jobs - 1) / jobs)
    }

    /// Whether a consumer is told to hold more.
    ///
    /// Each time costs a consumer, so it is for much; for less, if the worker could run more.
    ///
    /// - Parameters:
    ///   - held: How many it holds at most.
    ///   - due: How many it is to hold.
    ///   - isStarved: Whether the worker could run more, and waits for confirms.
    /// - Returns: Whether that is many more.
    static func isFewer(_ held: Int, than due: Int, isStarved: Bool) -> Bool {
        due >= 2 * held || isStarved && due - held >= max(1, held / 4)
    }
}
