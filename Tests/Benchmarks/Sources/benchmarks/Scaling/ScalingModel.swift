/// How one job of many tasks uses many cores.
///
/// A job tracks its tasks on one thread. After `main()` has returned, it runs its callbacks on one
/// thread at a time. That part of a task's cost is serial. The rest of the cost and the task's own
/// work can run on any core. The time per task is then the larger of the serial part and the time
/// of all cores:
///
///     max(serial, (serial + parallel + work) ÷ cores)
///
/// > Source: G. M. Amdahl, "Validity of the single processor approach", AFIPS 1967, with a serial
/// > part that overlaps the parallel one.
struct ScalingModel: Sendable {
    /// The serial part of a task's cost, for tracking and delivery, in nanoseconds.
    let serial: Double
    /// The parallel part of a task's cost, for starting and finishing, in nanoseconds.
    let parallel: Double

    /// Returns the nanoseconds from one finished task to the next.
    func timePerTask(work: Double, cores: Int) -> Double {
        max(serial, (serial + parallel + work) / Double(cores))
    }

    /// Returns the average number of cores that work on tasks.
    func coresUsed(work: Double, cores: Int) -> Double {
        work / timePerTask(work: work, cores: cores)
    }

    /// The average number of busy cores of 2, 16 and 64, for several lengths of tasks.
    var table: Table {
        let work = [25.0, 100, 1_000]
        var table = Table(
            title: "Cores that one job keeps busy, by the model",
            header: ["cores"] + work.map { "tasks of \(NumberText.grouped($0)) µs" }
                + ["all busy from"]
        )
        table.rows = [2, 16, 64]
            .map { cores in
                ["\(cores)"]
                    + work.map { work in
                        let used = coresUsed(work: work * 1_000, cores: cores)
                        return NumberText.fixed(used, places: 1)
                    }
                    + [NumberText.fixed(leastWork(forCores: cores) / 1_000, places: 0) + " µs"]
            }
        return table
    }

    /// Returns the shortest work, in nanoseconds, that keeps all cores busy.
    func leastWork(forCores cores: Int) -> Double {
        max(0, Double(cores - 1) * serial - parallel)
    }
}
