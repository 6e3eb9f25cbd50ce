/// The quantities that a reading can measure.
enum Figure: String, Sendable {
    /// Wall-clock nanoseconds from the first call to the last completion, divided by the tasks.
    case cost = "per task"
    /// The sum of the timed calls in wall-clock nanoseconds.
    case total = "in all"
    /// Processor time of all threads of the process in that time, divided by the tasks.
    case processor = "processor time per task"
    /// The median latency of a round, in nanoseconds.
    case p50
    /// The 99th percentile of a round's latencies, in nanoseconds.
    case p99
    /// How much longer a round took on all cores than its pure work, as a fraction of the work.
    case overhead
    /// Resident bytes per waiting task.
    case waiting = "per waiting task"
    /// Resident bytes gained after the first 10,000 steps.
    case growth

    /// Formats a value in a readable unit.
    func text(_ value: Double) -> String {
        switch self {
        case .cost, .processor: NumberText.grouped(value) + " ns"
        case .total: NumberText.fixed(value / 1_000_000, places: 2) + " ms"
        case .p50, .p99: NumberText.fixed(value / 1_000, places: 1) + " µs"
        case .overhead: NumberText.fixed(value * 100, places: 1) + " %"
        case .waiting: NumberText.grouped(value) + " B"
        case .growth: NumberText.fixed(value / 1_048_576, places: 2) + " MiB"
        }
    }

    /// Whether the ratio of two values is meaningful.
    ///
    /// It is not if a value may be zero.
    var isComparable: Bool {
        switch self {
        case .cost, .processor, .total, .p50, .p99, .waiting: true
        case .overhead, .growth: false
        }
    }

    /// The unit in which values are recorded and exported.
    var recordedUnit: String {
        switch self {
        case .cost, .processor, .total, .p50, .p99: "ns"
        case .overhead: "1"
        case .waiting, .growth: "B"
        }
    }
}
