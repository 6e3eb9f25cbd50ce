import ArgumentParser
import Foundation

/// Shows how the cores spent their time while tasks worked.
struct Cores: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw what each thread does over a fan-out of tasks that work."
    )

    @Option(help: "How many tasks a round has.")
    var tasks = 1_000

    @Option(help: "How long each works, in microseconds.")
    var length = 100

    @Option(help: "How many rounds each has, in turns; the one of median time is drawn.")
    var rounds = 9

    @Option(help: "Draw so many milliseconds at the beginning enlarged.")
    var opening = 1.0

    @Option(help: "How many characters a line has.")
    var columns = 100

    func validate() throws {
        guard tasks >= 1, length >= 1, rounds >= 1, columns >= 10, opening > 0 else {
            throw ValidationError("each must be at least 1, and --columns 10")
        }
    }

    func run() {
        print(MachineDescription.text)
        let work = ProcessorWork(nanoseconds: UInt64(length) * 1_000)
        let round = CoreRound(count: tasks, work: work)
        _ = CoreRound(count: min(tasks, 10), work: work).run(.job)
        var results: [CoreRound.Subject: [CoreRound.Result]] = [:]
        for _ in 0..<rounds {
            for subject in CoreRound.Subject.allCases {
                results[subject, default: []].append(round.run(subject))
            }
        }
        var table = Table(
            title: "\(NumberText.grouped(tasks)) tasks of \(length) µs: the cores' time",
            header: [
                "", "time", "beyond the work", "working", "adding", "completing", "queue",
                "other threads", "unused",
            ]
        )
        for subject in CoreRound.Subject.allCases {
            let sorted = (results[subject] ?? []).sorted { $0.time < $1.time }
            let median = sorted[sorted.count / 2]
            print(subject.rawValue + "\n" + drawing(of: median))
            table.rows.append(cells(subject, median))
        }
        print(table.text)
        print("a adding, █ working, c completing, · the queue's code, blank: not on a core")
    }

    private func drawing(of result: CoreRound.Result) -> String {
        let timeline = result.timeline
        let opened = min(timeline.begin + UInt64(opening * 1e6), timeline.end)
        let parts = [
            ("the first \(milliseconds(opened - timeline.begin)) ms", opened),
            ("all \(milliseconds(result.time)) ms", timeline.end),
        ]
        return
            parts.map { name, end in
                let lines = timeline.lines(from: timeline.begin, to: end, columns: columns)
                return ([name] + lines.map { "  |\($0)|" }).joined(separator: "\n")
            }
            .joined(separator: "\n") + "\n"
    }

    private func cells(_ subject: CoreRound.Subject, _ result: CoreRound.Result) -> [String] {
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        let ideal = Double(tasks * length) * 1e3 / cores
        let shares = result.shares
        let parts = [
            shares.working, shares.adding, shares.completing, shares.queue, shares.others,
            shares.unused,
        ]
        return [subject.rawValue, milliseconds(result.time) + " ms"]
            + ([Double(result.time) / ideal - 1] + parts)
            .map { NumberText.fixed(100 * $0, places: 1) + " %" }
    }

    private func milliseconds(_ time: UInt64) -> String {
        NumberText.fixed(Double(time) / 1e6, places: 2)
    }
}
