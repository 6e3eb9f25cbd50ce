import ArgumentParser
import Foundation
import JobKit
import Synchronization

/// Shows why one round of a fan-out is slower than another.
struct FanOutRounds: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print of each round of a fan-out where its time went."
    )

    @Option(help: "How many tasks a round has.")
    var tasks = 100_000

    @Option(help: "How many rounds there are, each with a queue of its own.")
    var rounds = 12

    @Option(help: "The width of the queue (default: unlimited).")
    var width: Int?

    func validate() throws {
        guard tasks >= 1, rounds >= 1, width ?? 1 >= 1 else {
            throw ValidationError("each must be at least 1")
        }
    }

    func run() {
        print(MachineDescription.text)
        var table = Table(
            title: "Rounds of \(NumberText.grouped(tasks)) tasks, each task's share",
            header: [
                "round", "time", "adding", "then", "processor time", "run elsewhere by then",
                "page faults", "sleeps of all threads",
            ]
        )
        for number in 1...rounds { table.rows.append(["\(number)"] + round()) }
        print(table.text)
    }

    private func round() -> [String] {
        let queue = width.map { TaskQueue(maxConcurrentOperationCount: $0) } ?? TaskQueue()
        let completions = Completions(expected: tasks)
        let job = PhasedJob(queue: queue, size: tasks, completions: completions)
        let (usage, used) = (Self.usage, ProcessorTime.ofProcess)
        let begin = DispatchTime.now().uptimeNanoseconds
        job.startJob(on: queue)
        completions.wait()
        let end = DispatchTime.now().uptimeNanoseconds
        let (usageThen, usedThen) = (Self.usage, ProcessorTime.ofProcess)
        queue.drain()
        let faults = Double(usageThen.ru_minflt - usage.ru_minflt) / Double(tasks)
        return [
            perTask(end - begin), perTask(job.phases.added - job.phases.began),
            perTask(end - job.phases.added), perTask(usedThen - used),
            "\(job.phases.runElsewhere * 100 / tasks) %", NumberText.fixed(faults, places: 3),
            NumberText.grouped(Int(usageThen.ru_nvcsw - usage.ru_nvcsw)),
        ]
    }

    private func perTask(_ time: UInt64) -> String {
        NumberText.grouped(Double(time) / Double(tasks)) + " ns"
    }

    private static var usage: rusage {
        var usage = rusage()
        // 0 is RUSAGE_SELF, which has another type than the argument on some platforms.
        getrusage(0, &usage)
        return usage
    }
}

/// A job that tracks its tasks in `main()` and records how far other threads have come by then.
// Unchecked, like every Operation subclass: `main()` writes the phases, and they are read when the
// last task has been delivered.
private final class PhasedJob: JobController, @unchecked Sendable {
    private let size: Int
    private let completions: Completions
    private let run = Atomic(0)
    private(set) var phases = (began: UInt64(0), added: UInt64(0), runElsewhere: 0)

    init(queue: TaskQueue, size: Int, completions: Completions) {
        (self.size, self.completions) = (size, completions)
        super.init(queue: queue)
    }

    override func main() {
        phases.began = DispatchTime.now().uptimeNanoseconds
        for _ in 0..<size {
            trackAndQueue(
                ClosureOperation { [self] in run.add(1, ordering: .relaxed) },
                completion: { [completions] _ in completions.complete() }
            )
        }
        phases.added = DispatchTime.now().uptimeNanoseconds
        phases.runElsewhere = run.load(ordering: .relaxed)
    }
}
