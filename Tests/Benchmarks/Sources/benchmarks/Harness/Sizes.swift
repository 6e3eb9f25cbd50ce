/// How large the workloads are.
struct Sizes: Sendable {
    /// The tasks of a fan-out, the steps of a sequence, the waiting tasks of a cancelled job.
    let tasks: Int
    /// The sizes at which the fan-out's cost against n is measured, beside ``tasks``.
    let fanOutSweep: [Int]
    /// The sizes at which the steps' cost against n is measured, beside ``tasks``.
    let stepsSweep: [Int]
    /// The tasks of a watched job.
    let observed: Int
    /// The lengths of dependency chains at which their cost is measured, beside ``shortChain``.
    let chains: [Int]
    /// The length of a long dependency chain.
    let longChain: Int
    /// The length of a short dependency chain.
    let shortChain: Int
    /// The length of a long chain of plain operations.
    let plainChain: Int
    /// The steps that come a millisecond after each other.
    let spacedSteps: Int
    /// The `AsyncOperation`s on a queue of limited width.
    let asyncOperations: Int
    /// The jobs that wait while the processors' time is taken.
    let waitingJobs: Int
    /// The operations along one side of the diamond grid.
    let gridSide: Int
    /// The operations that one operation waits for.
    let fanIn: Int
    /// The round trips of one round.
    let latencies: Int
    /// The steps over which the resident memory may grow.
    let growthSteps: Int
    /// The operations for each place of a queue that block their threads.
    let blockedPerPlace: Int
    /// The operations of one round whose lateness is taken.
    let lateTasks: Int
    /// By what the sizes of the calls whose growth is measured are divided.
    let callScale: Int

    /// The sizes that the bounds are stated for.
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

    /// Sizes for a first look in a few seconds.
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
