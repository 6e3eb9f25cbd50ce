/// What one job of many tasks gets out of many cores.
///
/// A job tracks its tasks on one thread, and runs its callbacks on one thread at a time, after
/// `main()` has returned. That part of a task's cost is serial; the rest, and the task's own work,
/// go to any core. The time for each task is then what the busier of both takes:
///
///     max(serial, (serial + parallel + work) ÷ cores)
///
/// > Source: G. M. Amdahl, "Validity of the single processor approach", AFIPS 1967, with a serial
/// > part that overlaps the parallel one.
struct ScalingModel: Sendable {
    /// Nanoseconds of a task that one thread at a time spends: tracking and delivery.
    let serial: Double
    /// Nanoseconds of a task that any core spends: starting and finishing.
    let parallel: Double

    /// Nanoseconds from one finished task to the next.
    func timePerTask(work: Double, cores: Int) -> Double {
        max(serial, (serial + parallel + work) / Double(cores))
    }

    /// How many cores' worth of work is done at a time.
    func coresUsed(work: Double, cores: Int) -> Double {
        work / timePerTask(work: work, cores: cores)
    }

    /// How many cores' worth of work one job gets, of 2, 16 and 64, for several lengths of tasks.
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

    /// The work in nanoseconds from which on all cores are busy.
    func leastWork(forCores cores: Int) -> Double {
        max(0, Double(cores - 1) * serial - parallel)
    }
}
