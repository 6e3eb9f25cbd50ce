import Foundation
import JobKit
import JobKitTesting
import Synchronization

@testable import RemoteJobs

/// Doubles a number, or fails.
enum Double2: RemoteWork {
    static let name = "double"
    typealias Input = Int
    typealias Output = Int

    struct Odd: Error, CustomStringConvertible {
        let number: Int
        var description: String { "\(number) is odd" }
    }
}

/// Returns a text, changed or unchanged by its worker.
enum Echo: RemoteWork {
    static let name = "echo"
    typealias Input = String
    typealias Output = String
}

/// Counts the runs of a test's tasks by key.
final class RunLog: Sendable {
    private let runs = Mutex<[String: Int]>([:])

    func ran(_ key: String) { runs.withLock { $0[key, default: 0] += 1 } }

    var all: [String: Int] { runs.withLock { $0 } }
    var total: Int { all.values.reduce(0, +) }
}

/// A worker in the test's process.
final class LocalWorker: Sendable {
    let worker: RemoteWorker
    private let running: Task<Void, any Error>

    convenience init(
        _ name: String,
        _ broker: BrokerNode,
        width: Int = 4,
        prefetch: Int? = nil,
        register: (RemoteWorker) -> Void
    ) {
        self.init(name, broker.addresses, width: width, prefetch: prefetch, register: register)
    }

    init(
        _ name: String,
        _ addresses: [BrokerAddress],
        width: Int = 4,
        prefetch: Int? = nil,
        register: (RemoteWorker) -> Void
    ) {
        let worker = RemoteWorker(
            name: name,
            brokers: addresses,
            width: width,
            prefetch: prefetch
        )
        register(worker)
        self.worker = worker
        running = Task { try await worker.run() }
    }

    /// Ends the worker like SIGTERM and waits for it.
    func stop() async throws {
        running.cancel()
        try await running.value
    }
}

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variables.
/// A job with tasks of one kind of work.
///
/// It counts its callbacks.
final class FanOut<Work: RemoteWork>: JobController, @unchecked Sendable {
    private(set) var results: [String: Result<Work.Output, any Error>] = [:]
    private(set) var callbackCount = 0
    /// All tasks tracked so far.
    ///
    /// Read it when no more tasks are added.
    private(set) var tasks: [RemoteOperation<Work>] = []
    /// The errors of the failed tasks, each text once.
    var failureTexts: Set<String> {
        let errors = results.values.compactMap { result in
            if case .failure(let error) = result { error } else { nil }
        }
        return Set(errors.map { "\($0)" })
    }
    private let inputs: [(String, Work.Input)]
    private let session: RemoteSession
    private let place: String?
    private let most: Int
    private var next = 0

    init(
        _ inputs: [(String, Work.Input)],
        in session: RemoteSession,
        at place: String? = nil,
        atATime most: Int = .max
    ) {
        self.inputs = inputs
        self.session = session
        self.place = place
        self.most = most
        super.init(queue: TaskQueue())
    }

    override func main() {
        for _ in 0..<min(most, inputs.count) { trackNext() }
    }

    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse { .carryOn }

    private func trackNext() {
        guard next < inputs.count else { return }
        let (key, input) = inputs[next]
        next += 1
        let task = RemoteOperation<Work>(input, key: key, in: session, at: place)
        tasks.append(task)
        trackAndQueue(
            task,
            completion: { [self] task in
                callbackCount += 1
                results[task.key] = task.result
                trackNext()
            }
        )
    }
}

/// Counts from 1.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
