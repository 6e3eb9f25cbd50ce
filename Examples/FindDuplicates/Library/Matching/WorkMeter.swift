/// Counts the work of a task, and reports it from time to time.
struct WorkMeter {
    /// The amount of work between two reports, in microseconds.
    private static let step = 2000.0

    /// Whether the work should end early.
    let isStopped: () -> Bool

    private let total: Double
    private let tell: (Double) -> Void
    private var done = 0.0
    private var told = 0.0

    /// Creates a meter without work.
    ///
    /// - Parameters:
    ///   - total: The total work in microseconds, see ``Work``.
    ///   - isStopped: Called before each piece. `true` ends the work early.
    ///   - tell: Receives the completed share, from 0 to 1.
    init(
        total: Int64,
        isStopped: @escaping () -> Bool = { false },
        tell: @escaping (Double) -> Void = { _ in }
    ) {
        self.total = Double(max(total, 1))
        self.isStopped = isStopped
        self.tell = tell
    }

    /// The completed share, from 0 to 1.
    var fraction: Double { min(done / total, 1) }

    /// Adds bytes that were read.
    mutating func read(_ count: Int) {
        add(Double(count) / Double(Work.bytes))
    }

    /// Adds files that are finished.
    ///
    /// - Parameters:
    ///   - count: The number of files.
    ///   - remaining: The number of bytes of each file that need not be read.
    mutating func ended(_ count: Int, remaining: Int64) {
        let each = Double(Work.opening) + Double(remaining) / Double(Work.bytes)
        add(Double(count) * each)
    }

    private mutating func add(_ work: Double) {
        done += work
        guard done >= told + Self.step else { return }
        told = done
        tell(fraction)
    }
}
