import JobKit

/// Operations of a `KeyedQueue`, with distinct keys and without keys.
enum KeyedOperations {
    static let distinctKeys = "KeyedQueue, distinct keys"
    static let noKeys = "KeyedQueue, no keys"

    /// The workload.
    ///
    /// Its size is the number of operations.
    static func workload(size: Int) -> Workload {
        Workload(
            "keyed operations",
            size: size,
            baseline: noKeys,
            rounds: 9,
            variants: [
                variant(distinctKeys) { queue, number, task in
                    queue.addOperation(task, keys: [number])
                },
                variant(noKeys) { queue, _, task in queue.addOperation(task) },
            ]
        )
    }

    /// The bound on the cost of distinct keys.
    static func bound(size: Int) -> Bound {
        let workload = workload(size: size)
        return Bound(
            work: "operations with distinct keys in a KeyedQueue against none",
            subject: workload.series(distinctKeys, .cost),
            reference: workload.series(noKeys, .cost),
            limits: Bound.Limits(atMost: 1.2, aim: 1.2)
        )
    }

    private static func variant(
        _ name: String,
        _ add: @escaping @Sendable (KeyedQueue<Int>, Int, CountedTask) -> Void
    ) -> Variant {
        .cost(name) { trial in
            let queue = KeyedQueue<Int>(TaskQueue())
            let completions = trial.completions
            trial.time {
                for number in 0..<trial.size { add(queue, number, CountedTask(completions)) }
            }
        }
    }
}
