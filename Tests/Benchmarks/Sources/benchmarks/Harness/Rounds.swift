import Foundation

/// Runs the variants of a workload in turns, so that all of them run under the same load.
struct Rounds: Sendable {
    /// The rest after each variant, which is long enough for its last threads to fall asleep.
    static let rest: TimeInterval = 2e-3

    /// Overrides the number of rounds that the workload and its variants define.
    var count: Int?
    /// The maximum number of measured rounds.
    var maximum = Int.max

    /// Measures a workload.
    ///
    /// Each round begins with another variant. A small unrecorded round loads the code of every
    /// variant first, except for a workload of one round.
    func measure(_ workload: Workload, into observations: inout Observations) {
        let variants = workload.variants
        let roundCount = min(count ?? workload.rounds, maximum)
        for variant in variants where roundCount > 1 {
            let warmUp = min(workload.size, max(workload.size / 20, 100))
            _ = variant.run(warmUp)
        }
        for round in 0..<roundCount {
            for turn in variants.indices {
                let variant = variants[(turn + round) % variants.count]
                guard round < count ?? variant.maximumRounds else { continue }
                Thread.sleep(forTimeInterval: Self.rest)
                for reading in variant.run(workload.size) {
                    let series = workload.series(variant.name, reading.figure)
                    observations.record(reading.value, in: series)
                }
            }
        }
    }
}
