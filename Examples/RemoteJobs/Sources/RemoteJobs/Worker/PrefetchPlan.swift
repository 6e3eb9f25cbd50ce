/// Decides how many tasks a worker holds in addition to the running ones.
///
/// While one worker holds a task, no other worker can run it. Therefore, a worker holds only as
/// many as it can run in a tenth of a second: many short tasks, but no waiting long ones.
struct PrefetchPlan {
    /// The time for which the held tasks last, in seconds.
    ///
    /// It covers the way to the broker and back.
    private static let stock = 0.1

    private let width: Int
    private let most: Int
    /// The average time of a task in seconds, in which the latest tasks count most.
    private var length: Double?

    /// - Parameters:
    ///   - width: How many tasks run at a time.
    ///   - most: The highest number of held tasks, including running ones.
    init(width: Int, most: Int) {
        self.width = width
        self.most = most
    }

    /// Records the time of a task, in seconds.
    mutating func ran(_ seconds: Double) {
        guard seconds >= 0 else { return }
        length = length.map { $0 * 0.9 + seconds * 0.1 } ?? seconds
    }

    /// The number of tasks to hold, including running ones.
    var held: Int {
        guard let length else { return min(most, width) }
        let ahead = Double(width) * Self.stock / max(length, 1e-6)
        return min(most, width + Int(min(Double(most), ahead)))
    }

    /// Returns how many tasks of each job to hold.
    ///
    /// - Parameters:
    ///   - jobs: The number of jobs.
    ///   - ended: The number of tasks that have ended without a confirm of their outcome. They are
    ///     still held, although other tasks could run.
    /// - Returns: The number for each job, at least one.
    func held(ofEachOf jobs: Int, ended: Int = 0) -> Int {
        let jobs = max(1, jobs)
        return max(1, (min(most, held + ended) + jobs - 1) / jobs)
    }

    /// Whether a source should hold more tasks.
    ///
    /// Each increase needs another consumer. Therefore, the difference must be large, or moderate
    /// if the worker has free capacity.
    ///
    /// - Parameters:
    ///   - held: The highest number that it holds now.
    ///   - due: The planned number.
    ///   - isStarved: Whether the worker has free capacity and waits for confirms.
    /// - Returns: Whether the planned number is sufficiently higher.
    static func isFewer(_ held: Int, than due: Int, isStarved: Bool) -> Bool {
        due >= 2 * held || isStarved && due - held >= max(1, held / 4)
    }
}
