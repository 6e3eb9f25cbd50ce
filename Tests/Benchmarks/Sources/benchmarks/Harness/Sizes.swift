/// The sizes of the workloads.
struct Sizes: Sendable {
    /// The number of tasks in a fan-out, steps in a sequence, and waiting tasks to cancel.
    let tasks: Int
    /// Further fan-out sizes, which show how the cost grows with n.
    let fanOutSweep: [Int]
    /// Further numbers of steps, which show how the cost grows with n.
    let stepsSweep: [Int]
    /// The number of tasks in an observed job.
    let observed: Int
    /// Further lengths of dependency chains, which show how the cost grows.
    let chains: [Int]
    /// The length of a long dependency chain.
    let longChain: Int
    /// The length of a short dependency chain.
    let shortChain: Int
    /// The length of a long chain of plain operations.
    let plainChain: Int
    /// The number of steps that run a millisecond apart.
    let spacedSteps: Int
    /// The number of `AsyncOperation`s on a queue that has a concurrency limit.
    let asyncOperations: Int
    /// The number of waiting jobs in the measurement of their processor time.
    let waitingJobs: Int
    /// The number of operations along one side of the diamond grid.
    let gridSide: Int
    /// The number of dependencies of one operation.
    let fanIn: Int
    /// The number of round trips in a round.
    let latencies: Int
    /// The number of steps over which the growth of resident memory is measured.
    let growthSteps: Int
    /// The number of operations that block their threads, for each permit of a queue.
    let blockedPerPlace: Int
    /// The number of measured operations in a round of lateness.
    let lateTasks: Int
    /// The divisor for the sizes in ``CallGrowth``.
    let callScale: Int

    /// The sizes to which the bounds apply.
    static let full = Sizes(
        tasks: 100_000,
        fanOutSweep: [1_000, 10_000, 1_000_000],
        stepsSweep: [1_000, 10_000, 300_000],
        observed: 10_000,
        chains: [100, 300, 10_000, 100_000],
        longChain: 64_000,
        shortChain: 1_000,
        plainChain: 8_000,
        spacedSteps: 1_000,
        asyncOperations: 20_000,
        waitingJobs: 1_000,
        gridSide: 64,
        fanIn: 200_000,
        latencies: 300,
        growthSteps: 1_000_000,
        blockedPerPlace: 25,
        lateTasks: 1_000,
        callScale: 1
    )

    /// Small sizes that give an impression in a few seconds.
    static let quick = Sizes(
        tasks: 10_000,
        fanOutSweep: [1_000],
        stepsSweep: [1_000],
        observed: 1_000,
        chains: [100, 10_000],
        longChain: 8_000,
        shortChain: 1_000,
        plainChain: 4_000,
        spacedSteps: 200,
        asyncOperations: 2_000,
        waitingJobs: 200,
        gridSide: 32,
        fanIn: 20_000,
        latencies: 100,
        growthSteps: 100_000,
        blockedPerPlace: 5,
        lateTasks: 200,
        callScale: 10
    )
}
