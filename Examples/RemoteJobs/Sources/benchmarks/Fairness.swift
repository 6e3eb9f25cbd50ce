import ArgumentParser
import Foundation
import JobKit
import RemoteJobs

/// Measures how fairly jobs share workers, and workers share a job.
struct Fairness: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fairness",
        abstract: "Measure a small job beside a large one, many jobs, and a slow worker.",
        discussion: """
            The workers run in this process, and tasks only wait: so the times depend little on \
            how busy the cores are.
            """
    )

    @OptionGroup var options: BrokerOptions

    /// How many tasks run at a time.
    private var width: Int { 16 }

    func run() async throws {
        let brokers = try BrokerAddress.parse(options.broker[0])
        var bounds = Bounds()
        try await measureSmallJob(brokers, &bounds)
        try await measureManyJobs(brokers, &bounds)
        for prefetch in [nil, 64] { try await measureSlowWorker(prefetch, brokers, &bounds) }
        guard bounds.allHold else { throw ExitCode(1) }
    }

    // MARK: Cases

    /// Measures ten tasks of 50 ms, alone and after another job has completed 1,059 of 6,000.
    private func measureSmallJob(_ brokers: [BrokerAddress], _ bounds: inout Bounds) async throws {
        let place = "small-\(getpid())"
        let worker = start(brokers, at: place, width: width)
        defer { worker.cancel() }
        let (large, small) = (try await open("large", brokers), try await open("small", brokers))
        _ = try await Self.seconds(of: 10, milliseconds: 50, in: small, at: place, keys: "warm-")
        let alone = try await Self.seconds(
            of: 10,
            milliseconds: 50,
            in: small,
            at: place,
            keys: "a-"
        )
        let many = Self.job(6_000, milliseconds: 50, in: large, at: place, keys: "l-")
        let running = Task { try await many.run() }
        let progress = many.progress
        while progress.fractionCompleted < 1_059.0 / 6_000 {
            try await Task.sleep(for: .milliseconds(5))
        }
        let beside = try await Self.seconds(
            of: 10,
            milliseconds: 50,
            in: small,
            at: place,
            keys: "b-"
        )
        let left = Int(6_000 * (1 - progress.fractionCompleted))
        many.cancel()
        _ = await running.result
        print("10 tasks of 50 ms, alone: \(rounded(alone)) s")
        print("beside 6,000 of another job: \(rounded(beside)) s; the other then has \(left) left")
        bounds.check("a small job beside a large one, against alone", beside / alone, atMost: 8)
        for session in [large, small] { try await session.close(removingJob: true) }
    }

    /// Measures twenty jobs of 500 tasks of 10 ms that start together.
    private func measureManyJobs(_ brokers: [BrokerAddress], _ bounds: inout Bounds) async throws {
        let place = "many-\(getpid())"
        let worker = start(brokers, at: place, width: width)
        defer { worker.cancel() }
        var sessions: [RemoteSession] = []
        for number in 0..<20 { sessions.append(try await open("many-\(number)", brokers)) }
        for session in sessions {
            _ = try await Self.seconds(
                of: 1,
                milliseconds: 0,
                in: session,
                at: place,
                keys: "warm-"
            )
        }
        let ends = try await withThrowingTaskGroup(of: Double.self) { group in
            for session in sessions {
                group.addTask {
                    try await Fairness.seconds(
                        of: 500,
                        milliseconds: 10,
                        in: session,
                        at: place,
                        keys: ""
                    )
                }
            }
            var ends: [Double] = []
            for try await end in group { ends.append(end) }
            return ends.sorted()
        }
        let ideal = 20 * 500 * 0.01 / Double(width)
        print(
            """
            20 jobs of 500 tasks of 10 ms: the first ends after \(rounded(ends[0])) s, the last \
            after \(rounded(ends[19])) s; all tasks take \(rounded(ideal)) s of the workers' width
            """
        )
        bounds.check("the last of equal jobs against the first", ends[19] / ends[0], atMost: 1.25)
        for session in sessions { try await session.close(removingJob: true) }
    }

    /// Measures 600 tasks that take 20 ms on a fast worker and a second on a slow one.
    private func measureSlowWorker(
        _ prefetch: Int?,
        _ brokers: [BrokerAddress],
        _ bounds: inout Bounds
    ) async throws {
        let place = "slow-\(prefetch ?? 0)-\(getpid())"
        let (wide, slowness) = (4, 50)
        let workers = [1, slowness]
            .map { times in
                start(brokers, at: place, width: wide, prefetch: prefetch, slowness: times)
            }
        defer { for worker in workers { worker.cancel() } }
        let session = try await open("slow-\(prefetch ?? 0)", brokers)
        // Both workers are running and have measured the time of their tasks.
        _ = try await Self.seconds(of: 100, milliseconds: 20, in: session, at: place, keys: "warm-")
        let time = try await Self.seconds(
            of: 600,
            milliseconds: 20,
            in: session,
            at: place,
            keys: ""
        )
        let perSecond = Double(wide) / 0.02 * (1 + 1 / Double(slowness))
        let ideal = 600 / perSecond
        // The slow worker may start a task just before the end.
        let bound = ideal + 0.02 * Double(slowness)
        print(
            """
            600 tasks, a worker that takes 20 ms and one that takes 1 s, prefetch \
            \(prefetch.map(String.init) ?? "unless given"): \(rounded(time)) s; \
            \(rounded(ideal)) s if all were shared out as they should be, \(rounded(bound)) s with \
            one slow task begun last
            """
        )
        bounds.check("a slow worker beside a fast one, against that", time / bound, atMost: 1.3)
        try await session.close(removingJob: true)
    }

    // MARK: Support

    private func open(_ name: String, _ brokers: [BrokerAddress]) async throws -> RemoteSession {
        let session = RemoteSession(job: "fairness-\(name)-\(getpid())", brokers: brokers)
        try await session.open()
        return session
    }

    /// Starts a worker that slows its tasks down by a factor.
    ///
    /// It runs until it is cancelled.
    private func start(
        _ brokers: [BrokerAddress],
        at place: String,
        width: Int,
        prefetch: Int? = nil,
        slowness: Int = 1
    ) -> Task<Void, any Error> {
        let worker = RemoteWorker(
            name: "w\(slowness)",
            brokers: brokers,
            width: width,
            prefetch: prefetch
        )
        worker.register(Trial.self, at: place) { input, context in
            var input = input
            input.milliseconds *= slowness
            return TrialOperation(input, context, nil)
        }
        return Task { try await worker.run() }
    }

    private static func job(
        _ count: Int,
        milliseconds: Int,
        in session: RemoteSession,
        at place: String,
        keys: String
    ) -> TrialJob {
        TrialJob(count, atATime: count, in: session, at: place, keys: keys) { _ in
            Trial.Input(milliseconds: milliseconds)
        }
    }

    /// Measures the time of a job.
    private static func seconds(
        of count: Int,
        milliseconds: Int,
        in session: RemoteSession,
        at place: String,
        keys: String
    ) async throws -> Double {
        let job = job(count, milliseconds: milliseconds, in: session, at: place, keys: keys)
        let start = ContinuousClock.now
        try await job.run()
        precondition(job.callbackCount == count && job.failures.isEmpty)
        return start.duration(to: .now) / .seconds(1)
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }
}
