import AMQP
import JobKit
import XCTest

@testable import RemoteJobs

/// A test with a broker.
///
/// Its tasks name its ``place`` and therefore use separate queues, so that workers that another
/// test has left behind take none of them. Everything that it starts ends with it, even if it
/// fails.
class LiveTestCase: XCTestCase {
    /// The place of the test's tasks.
    ///
    /// It contains a dot, which has a meaning for brokers.
    let place = "place.\(UUID().uuidString.prefix(8))"

    /// The queue of a job's ``Double2`` tasks.
    func queue(of job: String) -> String {
        Layout.tasks(Layout.route(Name(Double2.name), at: Name(place)), of: Name(job))
    }
    /// The queue of ``Double2`` tasks after their worker has died.
    var suspects: String { Layout.suspects(Layout.route(Name(Double2.name), at: Name(place))) }

    /// The node that the tests share.
    var broker: BrokerNode {
        get async throws { try await BrokerNode.shared.value }
    }

    /// Creates a job name that no other test uses.
    func jobName(_ text: String) -> String { "\(text) \(UUID().uuidString.prefix(8))" }

    /// Opens a session that is closed at the end of the test.
    func open(
        _ job: String,
        _ brokers: [BrokerAddress],
        options: RemoteSession.Options = .init()
    ) async throws -> RemoteSession {
        let session = RemoteSession(job: job, brokers: brokers, options: options)
        addTeardownBlock { await within(300, "a session's end") { await session.close() } }
        try await session.open()
        return session
    }

    /// Starts a worker in this process that ends with the test.
    func startWorker(
        _ name: String = "h1",
        _ brokers: [BrokerAddress],
        width: Int = 4,
        prefetch: Int? = nil,
        register: (RemoteWorker) -> Void
    ) -> LocalWorker {
        let worker = LocalWorker(
            name,
            brokers,
            width: width,
            prefetch: prefetch,
            register: register
        )
        addTeardownBlock { await within(300, "a worker's end") { try? await worker.stop() } }
        return worker
    }

    /// Starts a worker that runs ``Double2`` tasks at once and records them.
    func startDoubler(
        _ name: String = "h1",
        _ brokers: [BrokerAddress],
        noting runs: RunLog = RunLog()
    ) -> LocalWorker {
        startWorker(name, brokers) { worker in
            worker.register(Double2.self, at: place) { number, context in
                ClosureOperation {
                    runs.ran(context.key)
                    return number * 2
                }
            }
        }
    }

    /// Starts a program of this package that ends with the test.
    func start(_ name: String, _ arguments: [String]) throws -> ProgramRun {
        let program = try ProgramRun(name, arguments)
        addTeardownBlock { program.send(SIGKILL) }
        return program
    }

    /// Starts a process with a worker of trials that ends with the test.
    func startTrialWorker(
        _ broker: BrokerNode,
        noting lines: RunLines,
        _ more: [String] = []
    ) throws -> ProgramRun {
        try start(
            "benchmarks",
            ["worker", "--broker", broker.url, "--log", lines.path, "--place", place] + more
        )
    }

    /// Starts a process with a job of trials that ends with the test.
    func startTrials(_ broker: BrokerNode, _ job: String, _ more: [String]) throws -> ProgramRun {
        try start(
            "benchmarks",
            ["fan-out", "--broker", broker.url, "--job", job, "--place", place] + more
        )
    }

    /// Creates a link to a broker that can be cut, and that ends with the test.
    func proxy(to broker: BrokerNode) async throws -> CutProxy {
        let proxy = try await CutProxy(to: broker.port)
        addTeardownBlock { try? await proxy.close() }
        return proxy
    }

    /// Runs a job whose controller loses its link, gets an unusable one, and finishes over a later
    /// one.
    ///
    /// - Parameters:
    ///   - name: The beginning of the job's name.
    ///   - count: The number of its tasks.
    ///   - pace: How long the controller waits for answers.
    ///   - spoil: Requests a fault of the second link from the proxy. The judge selects the frame
    ///     in which this link requests the job's stream.
    /// - Returns: The number of links.
    /// - Throws: The error of the job or its broker.
    func runOverLaterLink(
        _ name: String,
        _ count: Int = 200,
        pace: SessionPace = SessionPace(),
        spoil: (CutProxy, _ isSecond: @escaping CutProxy.Judge) -> Void
    ) async throws -> Int {
        let broker = try await broker
        let proxy = try await proxy(to: broker)
        let requests = Counter()
        spoil(proxy) { frame in
            guard case .method(.basicConsume, _) = frame else { return false }
            return requests.next() == 2
        }
        var options = RemoteSession.Options()
        options.pace = pace
        let session = try await open(jobName(name), [proxy.address], options: options)
        let worker = startDoubler("h1", broker.addresses)
        let job = FanOut<Double2>((0..<count).map { ("k\($0)", $0) }, in: session, at: place)
        let running = Task { try await job.run() }
        proxy.cut()
        let end = await outcome(of: running)
        try end.get()
        XCTAssertEqual(job.callbackCount, count)
        try await worker.stop()
        try await session.close(removingJob: true)
        return proxy.linkCount
    }

    /// Runs a job with a timeout.
    func run(_ job: JobController) async throws {
        let end = await outcome(of: Task { try await job.run() })
        try end.get()
    }

    /// Returns the outcome of a Swift task, with a timeout.
    func outcome(
        of task: Task<Void, any Error>,
        within seconds: Double = 300,
        file: StaticString = #filePath,
        line: UInt = #line
    ) async -> Result<Void, any Error> {
        let hasEnded = XCTestExpectation(description: "it has ended")
        Task {
            _ = await task.result
            hasEnded.fulfill()
        }
        let waited = await XCTWaiter.fulfillment(of: [hasEnded], timeout: seconds)
        guard waited == .completed else {
            XCTFail("not ended in time", file: file, line: line)
            task.cancel()
            return .failure(NotEnded())
        }
        return await task.result
    }
}

/// The timeout has passed.
struct NotEnded: Error {}

/// Runs a closure, and continues without it after a timeout.
func within(
    _ seconds: Double,
    _ what: String,
    _ body: @escaping @Sendable () async -> Void
) async {
    let done = XCTestExpectation(description: what)
    Task {
        await body()
        done.fulfill()
    }
    let waited = await XCTWaiter.fulfillment(of: [done], timeout: seconds)
    XCTAssertEqual(waited, .completed, "not within \(seconds) s: \(what)")
}
