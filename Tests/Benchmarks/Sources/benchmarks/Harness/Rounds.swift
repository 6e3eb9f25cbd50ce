import Foundation

/// Runs the variants of a workload in turns, so that each meets the same load of the machine.
struct Rounds: Sendable {
    /// How long the process rests after each variant, so that its last threads have gone to sleep.
    static let rest: TimeInterval = 2e-3

    /// How many rounds are measured, if not as many as the workload and its variants say.
    var count: Int?
    /// No more rounds than this are measured.
    var maximum = Int.max

    /// Measures a workload; each round begins with another variant.
    ///
    /// One small round before the first, which is not recorded, loads the code of every variant; a
    /// workload of one round goes without.
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
