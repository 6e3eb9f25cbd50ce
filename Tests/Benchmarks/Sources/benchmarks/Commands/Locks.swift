import ArgumentParser

/// Measures JobKit's lock and those of the standard library and Foundation.
struct Locks: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure Guarded, Mutex and NSLock, uncontended and with several threads."
    )

    @Option(help: "How often all threads together take the lock.")
    var lockings = 400_000

    @Option(help: "How many rounds the medians are of.")
    var rounds = 5

    @Flag(help: "Write the table as Markdown.")
    var markdown = false

    func validate() throws {
        guard lockings >= 1_000 else { throw ValidationError("--lockings must be at least 1000") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be at least 1") }
    }

    func run() {
        print(MachineDescription.text)
        var table = Table(
            title: "A locking: time, and processor time of all threads",
            header: ["threads", "Guarded", "Mutex", "NSLock"]
        )
        for threads in [1, 2, 8] {
            for (gap, name) in [(0, "at once again"), (300, "some work between")] {
                let trial = LockTrial(threads: threads, lockings: lockings / threads, gap: gap)
                var costs: [[LockTrial.Cost]] = [[], [], []]
                for _ in 0..<rounds {
                    costs[0].append(trial.run(GuardedCount.self))
                    costs[1].append(trial.run(MutexCount.self))
                    costs[2].append(trial.run(FoundationCount.self))
                }
                table.rows.append(["\(threads), \(name)"] + costs.map { cell($0) })
            }
        }
        print(markdown ? table.markdown : table.text)
    }

    private func cell(_ costs: [LockTrial.Cost]) -> String {
        guard let time = Summary(costs.map(\.time)), let used = Summary(costs.map(\.used)) else {
            return "–"
        }
        return "\(NumberText.grouped(time.median)) ns, \(NumberText.grouped(used.median)) ns"
    }
}
