/// Resident memory, measured in separate processes.
enum Memory {
    static let sequential = "sequential steps"
    static let fanOut = "fan-out, 1,000 in flight"
    static let keyed = "operations of one key in a KeyedQueue"
    static let limited = "sequential steps, each with a maximumRuntime of 1 h"
    static let grouped = "sequential steps, each in a new named group"

    /// Measures the bytes per waiting task, including its share of the queue and the job.
    static func waiting(size: Int) -> Workload {
        Workload(
            "memory of waiting tasks",
            size: size,
            rounds: 1,
            variants: [
                probe(VariantName.jobOnTaskQueue, .waitingOnTaskQueue, .waiting),
                probe(VariantName.operationQueue, .waitingOnOperationQueue, .waiting),
            ]
        )
    }

    /// Measures the bytes that a long job gains while it runs.
    static func growth(steps: Int) -> Workload {
        Workload(
            "memory over a long job",
            size: steps,
            baseline: sequential,
            rounds: 1,
            variants: [
                probe(sequential, .sequentialGrowth, .growth),
                probe(fanOut, .fanOutGrowth, .growth),
                probe(keyed, .keyedGrowth, .growth),
                probe(limited, .limitedGrowth, .growth),
                probe(grouped, .groupGrowth, .growth),
            ]
        )
    }

    private static func probe(_ name: String, _ probe: MemoryProbe, _ figure: Figure) -> Variant {
        Variant(name: name, figures: [figure]) { size in
            let probeSize = max(size, MemoryProbe.stepsBeforeGrowth)
            return [
                Reading(figure: figure, value: ChildProcess.measure(probe, size: probeSize))
            ]
        }
    }
}
