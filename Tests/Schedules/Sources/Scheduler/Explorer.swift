import Foundation

/// Explores the schedules of a program.
package struct Explorer {
    let name: String
    let program: (World) -> Void
    /// How many schedules bounded search runs at most for each number of preemptions.
    let limit: Int
    /// How many seconds random schedules take.
    let seconds: Double

    package struct Report {
        package var points = 0
        package var schedules = 0
        /// The largest number of preemptions of which all schedules have run.
        ///
        /// -1 for none.
        package var bound = -1
        package var failure: Failure?
        /// Per strategy, the number of schedules until it failed.
        package var found: [(strategy: String, schedules: Int)] = []
    }

    package struct Failure {
        package let text: String
        package let choices: String
        package let trace: String
    }

    package init(
        _ name: String,
        limit: Int,
        seconds: Double,
        _ program: @escaping (World) -> Void
    ) {
        (self.name, self.program) = (name, program)
        (self.limit, self.seconds) = (limit, seconds)
    }

    /// Runs one schedule, with its trace.
    package func replay(_ choices: String) -> Failure? {
        _ = run(FixedChoices([Int]()))
        return failure(Choices.parse(choices))
    }

    /// Explores until a schedule fails, or until the limits.
    package func explore(seed: UInt64) -> Report {
        var report = Report()
        // Once without record, because the first use of globals differs.
        _ = run(FixedChoices([Int]()))
        var mostChoices = 1

        func failed(_ schedule: Schedule, _ strategy: String, _ count: Int) -> Bool {
            report.schedules += 1
            report.points = max(report.points, schedule.pointCount)
            mostChoices = max(mostChoices, schedule.choices.count)
            guard schedule.failure != nil else { return false }
            report.found.append((strategy, count))
            report.failure = minimized(schedule)
            return true
        }

        for bound in 0...2 {
            let isComplete = runAll(bound: bound, limit: limit) { schedule in
                failed(schedule, "bounded", report.schedules + 1)
            }
            guard report.failure == nil else { return report }
            guard isComplete else { break }
            report.bound = bound
        }
        let end = Date().addingTimeInterval(seconds)
        var count: UInt64 = 0
        while Date() < end {
            count += 1
            let isWalk = count % 3 == 0
            let schedule =
                isWalk
                ? run(RandomWalk(seed: seed &+ count))
                : run(Priorities(seed: seed &+ count, count: mostChoices))
            if failed(schedule, isWalk ? "random" : "PCT", Int(count)) { return report }
        }
        return report
    }

    /// The number of schedules until each strategy finds a failure.
    ///
    /// Nil if it does not in time.
    package func search(seed: UInt64, limit: Int) -> [(strategy: String, schedules: Int?)] {
        _ = run(FixedChoices([Int]()))
        let most = run(FixedChoices([Int]())).choices.count * 2
        func first(_ strategy: (UInt64) -> any Strategy) -> Int? {
            (1...limit).first { run(strategy(UInt64($0) &+ seed)).failure != nil }
        }
        func bounded() -> Int? {
            var (count, isFound) = (0, false)
            for bound in 0...2 where !isFound && count < limit * 5 {
                _ = runAll(bound: bound, limit: limit * 5) { schedule in
                    count += 1
                    isFound = schedule.failure != nil
                    return isFound
                }
            }
            return isFound ? count : nil
        }
        return [
            ("PCT", first { Priorities(seed: $0, count: most) }),
            ("random", first { RandomWalk(seed: $0) }),
            ("bounded", bounded()),
        ]
    }

    /// Runs all schedules with at most a number of preemptions, until `isOver` returns true.
    ///
    /// - Parameters:
    ///   - bound: The number of preemptions.
    ///   - limit: How many schedules are run at most.
    ///   - isReduced: Whether schedules with the same order of conflicting accesses are left out.
    ///   - isOver: Called after each schedule.
    /// - Returns: Whether all have run.
    package func runAll(
        bound: Int,
        limit: Int,
        isReduced: Bool = true,
        _ isOver: (Schedule) -> Bool = { _ in false }
    ) -> Bool {
        var search = Exhaustive(bound: bound, isReduced: isReduced)
        for _ in 0..<limit {
            let schedule = run(FixedChoices(search.next), findsConflicts: isReduced)
            if isOver(schedule) { return false }
            if !search.ran(schedule) { return true }
        }
        return false
    }

    private func run(
        _ strategy: any Strategy,
        recordsSwitches: Bool = false,
        findsConflicts: Bool = false
    ) -> Schedule {
        let schedule = Schedule(
            strategy,
            recordsSwitches: recordsSwitches,
            findsConflicts: findsConflicts
        )
        CrashLog.begin(name, number: schedule.number)
        schedule.run(program)
        return schedule
    }

    // MARK: Real threads

    /// Runs the program again and again on the system's threads.
    ///
    /// - Returns: The number of runs, and whether the last one failed.
    package func runOnThreads(seconds: Double) -> (count: Int, hasFailed: Bool) {
        let end = Date().addingTimeInterval(seconds)
        var count = 0
        while Date() < end {
            count += 1
            let world = World(nil)
            program(world)
            if world.end() != nil { return (count, true) }
        }
        return (count, false)
    }

    // MARK: Failures

    /// Removes choices for as long as the program still fails.
    private func minimized(_ schedule: Schedule) -> Failure? {
        var choices = Dictionary(
            uniqueKeysWithValues: schedule.choices.enumerated().filter { $1.taken > 0 }
                .map { ($0, $1.taken) }
        )
        var runs = 0
        var size = choices.count
        while size >= 1, runs < 300 {
            var isSmaller = false
            for part in stride(from: 0, to: choices.count, by: size) {
                let keys = choices.keys.sorted()
                guard part < keys.count, runs < 300 else { break }
                var fewer = choices
                for key in keys[part..<min(part + size, keys.count)] { fewer[key] = nil }
                runs += 1
                if run(FixedChoices(fewer)).failure != nil { (choices, isSmaller) = (fewer, true) }
            }
            if !isSmaller || size > choices.count { size /= 2 }
        }
        return failure(choices)
            ?? Failure(
                text: (schedule.failure ?? "") + "\nThe failure does not repeat.",
                choices: Choices.text(schedule.choices.map(\.taken)),
                trace: ""
            )
    }

    private func failure(_ choices: [Int: Int]) -> Failure? {
        let schedule = run(FixedChoices(choices), recordsSwitches: true)
        guard let text = schedule.failure else { return nil }
        let trace = schedule.switches.map { change in
            "  \(change.choice): \(change.from), at \(change.site.text) → \(change.to), at \(change.continuesAt.text)"
        }
        return Failure(
            text: text,
            choices: Choices.text(choices),
            trace: trace.joined(separator: "\n")
        )
    }
}
