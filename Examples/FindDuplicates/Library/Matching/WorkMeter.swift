/// Counts the work of a task while it is done, and tells about it now and then.
struct WorkMeter {
    /// The task hears about every so many microseconds of work.
    private static let step = 2000.0

    /// Whether the work should end early.
    let isStopped: () -> Bool

    private let total: Double
    private let tell: (Double) -> Void
    private var done = 0.0
    private var told = 0.0

    /// Begins with nothing done.
    ///
    /// - Parameters:
    ///   - total: All the work, in microseconds; see ``Work``.
    ///   - isStopped: Asked before each piece; `true` ends the work early.
    ///   - tell: Told the share that is done, from 0 to 1.
    init(
        total: Int64,
        isStopped: @escaping () -> Bool = { false },
        tell: @escaping (Double) -> Void = { _ in }
    ) {
        self.total = Double(max(total, 1))
        self.isStopped = isStopped
        self.tell = tell
    }

    /// The share that is done, from 0 to 1.
    var fraction: Double { min(done / total, 1) }

    /// Notes bytes that were read.
    mutating func read(_ count: Int) {
        add(Double(count) / Double(Work.bytes))
    }

    /// Notes files that are done with.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - remaining: How many bytes of each need not be read.
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
