import Foundation
import JobKit
import XCTest

#if os(Linux)
/// Runs worlds in a separate process, which may trap or hang, and finds the smallest failing world.
///
/// The child is this test bundle, which reads from its environment the worlds to run. It prints a
/// line when a world begins and another when it has ended, so that the parent can identify the
/// unfinished worlds.
struct WorldRun {
    /// The result of a child process.
    struct Report {
        var worlds = 0
        var complaints: [(seed: UInt64, text: String)] = []
        var underWay: [UInt64] = []
        var status: Int32 = 0

        var isClean: Bool { complaints.isEmpty && status == 0 }
    }

    static let atOnce = 8
    /// The maximum time of one world in seconds, which only a hanging world reaches.
    private static let bound =
        ProcessInfo.processInfo.environment["JOBKIT_WORLD_BOUND"].flatMap { TimeInterval($0) }
        ?? 100

    // MARK: The child process

    /// Runs the worlds that the environment requests, and prints their results.
    static func runWhatIsAsked() async {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["JOBKIT_WORLD_PLAN"] {
            guard let data = FileManager.default.contents(atPath: path),
                let plan = try? JSONDecoder().decode(WorldPlan.self, from: data)
            else { return say("no plan in \(path)") }
            let times = environment["JOBKIT_WORLD_TIMES"].flatMap { Int($0) } ?? 1
            await run(Array(repeating: plan, count: times), until: .now + .seconds(60))
            return
        }
        let first = environment["JOBKIT_WORLD_FIRST"].flatMap { UInt64($0) } ?? 0
        let seconds = environment["JOBKIT_WORLD_SECONDS"].flatMap { Double($0) } ?? 1
        let plans = (0...).lazy.map { WorldPlan(seed: first + UInt64($0)) }
        await run(plans, until: .now + .seconds(seconds))
    }

    private static func run(
        _ plans: some Sequence<WorldPlan>,
        until end: ContinuousClock.Instant
    ) async {
        var next = plans.makeIterator()
        await withTaskGroup(of: Bool.self) { group in
            var underWay = 0
            var isClean = true
            while isClean {
                while underWay < atOnce, ContinuousClock.now < end, let plan = next.next() {
                    underWay += 1
                    group.addTask { await run(plan) }
                }
                guard underWay > 0, let wasClean = await group.next() else { break }
                underWay -= 1
                isClean = wasClean
            }
        }
    }

    /// Runs a world, and returns whether it followed all rules.
    private static func run(_ plan: WorldPlan) async -> Bool {
        say("begin \(plan.seed)")
        let living = Kept()
        let world = World(plan, living: living)
        let hang = DispatchWorkItem {
            say("complaint \(plan.seed) it does not end: \(world.explanation)")
            exit(3)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + bound, execute: hang)
        var complaints = await world.run()
        hang.cancel()
        if complaints.isEmpty { complaints = await leaks(of: living) }
        for text in complaints.prefix(5) { say("complaint \(plan.seed) \(text)") }
        say("end \(plan.seed)")
        return complaints.isEmpty
    }

    /// J10: the objects of a world must be released soon after its end.
    private static func leaks(of living: Kept) async -> [String] {
        let limit = ContinuousClock.now + .seconds(bound * 0.6)
        while !living.isReleased, ContinuousClock.now < limit { await Task.yield() }
        return living.isReleased ? [] : ["J10: \(living.names.prefix(10)) live on"]
    }

    /// Prints a whole line at once, because the process may be about to trap.
    private static func say(_ text: String) {
        let line = "world: \(text.replacingOccurrences(of: "\n", with: " | "))\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }

    // MARK: The parent process

    /// Runs worlds in a child process from a seed onward, for some seconds.
    static func child(first: UInt64, seconds: Double) throws -> Report {
        try child(["JOBKIT_WORLD_FIRST": "\(first)", "JOBKIT_WORLD_SECONDS": "\(seconds)"])
    }

    /// Runs one world many times in a child process.
    static func child(_ plan: WorldPlan, times: Int) throws -> Report {
        let file = FileManager.default.temporaryDirectory.appending(path: "world-\(UUID()).json")
        try JSONEncoder().encode(plan).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // A hanging world is shrunk in steps that take less time than its bound.
        return try child(
            [
                "JOBKIT_WORLD_PLAN": file.path, "JOBKIT_WORLD_TIMES": "\(times)",
                "JOBKIT_WORLD_BOUND": "10",
            ],
            isQuiet: true
        )
    }

    private static func child(
        _ environment: [String: String],
        isQuiet: Bool = false
    ) throws -> Report {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["\(String(reflecting: WorldTests.self))/testWorldsThatAParentAskedFor"]
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { $1 }
            .merging(["JOBKIT_WORLD_CHILD": "1", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        // Sanitizers report to standard error.
        if isQuiet { process.standardError = FileHandle.nullDevice }
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var report = Report()
        report.status = process.terminationStatus
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count > 2, words[0] == "world:", let seed = UInt64(words[2]) else {
                continue
            }
            switch words[1] {
            case "begin": report.underWay.append(seed)
            case "end":
                report.worlds += 1
                if let place = report.underWay.firstIndex(of: seed) {
                    report.underWay.remove(at: place)
                }
            default: report.complaints.append((seed, words.count > 3 ? String(words[3]) : ""))
            }
        }
        return report
    }

    /// Shrinks a failing world while it still fails, within the time.
    static func shrunken(_ plan: WorldPlan, within time: Duration) throws -> WorldPlan {
        let end = ContinuousClock.now + time
        var smallest = plan
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in smallest.smaller() where ContinuousClock.now < end {
                guard try !child(candidate, times: 60).isClean else { continue }
                smallest = candidate
                isSmaller = true
                break
            }
        }
        return smallest
    }
}
#endif
