/// What a reading measures.
enum Figure: String, Sendable {
    /// Wall-clock nanoseconds from the first call to the last completion, divided by the tasks.
    case cost = "per task"
    /// Wall-clock nanoseconds of the timed calls together.
    case total = "in all"
    /// What all the threads of the process spent in that time on processors, divided by the tasks.
    case processor = "processor time per task"
    /// The median of a round's single latencies, in nanoseconds.
    case p50
    /// The latency, in nanoseconds, that 99 of 100 in a round do not exceed.
    case p99
    /// How much longer than the pure work a round took on all cores, as a share of the work.
    case overhead
    /// Resident bytes for each task that waits.
    case waiting = "per waiting task"
    /// Resident bytes gained after the first 10,000 steps.
    case growth

    /// The figure's value in the unit that people read.
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

    /// Whether the ratio of two values says something; not so of those that may be zero.
    var isComparable: Bool {
        switch self {
        case .cost, .processor, .total, .p50, .p99, .waiting: true
        case .overhead, .growth: false
        }
    }

    /// The unit of the values as they are recorded and exported.
    var recordedUnit: String {
        switch self {
        case .cost, .processor, .total, .p50, .p99: "ns"
        case .overhead: "1"
        case .waiting, .growth: "B"
        }
    }
}
