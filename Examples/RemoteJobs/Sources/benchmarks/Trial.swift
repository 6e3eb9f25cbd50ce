import Foundation
import JobKit
import RemoteJobs
import Synchronization

/// A kind of work for trials: its input makes it wait, fail or kill its worker.
enum Trial: RemoteWork {
    static let name = "trial"

    struct Input: Codable, Sendable {
        var milliseconds = 0
        var bytes = 0
        var fails = false
        var kills = false
    }

    struct Output: Codable, Sendable {
        var worker: String
        var attempt: Int
        /// Has no effect except its size.
        var padding = ""
    }

    struct Failed: Error {}
}

/// A file to which each run of a task appends a line with the task's key.
final class RunFile: Sendable {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return nil }
    }

    /// Appends a line.
    ///
    /// Several processes may write to one file.
    func add(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(descriptor, line, line.count)
    }
}

// Operation forces @unchecked. The stored properties are constant.
/// Runs a ``Trial``.
final class TrialOperation: ResultOperation<Trial.Output>, @unchecked Sendable {
    private let input: Trial.Input
    private let context: RemoteContext
    private let file: RunFile?

    init(_ input: Trial.Input, _ context: RemoteContext, _ file: RunFile?) {
        self.input = input
        self.context = context
        self.file = file
        super.init()
    }

    override func main() {
        file?.add(context.key)
        if input.kills { kill(getpid(), SIGKILL) }
        guard input.milliseconds > 0 else { return end() }
        perform(after: .milliseconds(input.milliseconds)) { [self] in end() }
    }

    private func end() {
        guard !input.fails else { return finish(with: Trial.Failed()) }
        let padding = String(repeating: "x", count: min(max(0, input.bytes), 1 << 27))
        finish(
            returning: Trial.Output(
                worker: context.worker,
                attempt: context.attempt,
                padding: padding
            )
        )
    }

    override func didCancel() {
        file?.add("cancelled \(context.key)")
        finish()
    }
}

// Operation forces @unchecked. JobController runs the callbacks, which alone touch the variables.
/// A job of many trials that limits the number of tracked ones.
final class TrialJob: JobController, @unchecked Sendable {
    private(set) var callbackCount = 0
    private(set) var failures: [String: any Error] = [:]
    private let count: Int
    private let most: Int
    private let session: RemoteSession
    private let place: String?
    private let keys: String
    private let input: @Sendable (Int) -> Trial.Input
    private var next = 0

    init(
        _ count: Int,
        atATime most: Int,
        in session: RemoteSession,
        at place: String? = nil,
        keys: String = "t",
        input: @escaping @Sendable (Int) -> Trial.Input
    ) {
        self.count = count
        self.most = most
        self.session = session
        self.place = place
        self.keys = keys
        self.input = input
        super.init(queue: TaskQueue(name: "Trials"))
    }

    override func main() {
        for _ in 0..<min(most, count) { trackNext() }
    }

    private func trackNext() {
        guard next < count else { return }
        let number = next
        next += 1
        let key = "\(keys)\(number)"
        let task = RemoteOperation<Trial>(input(number), key: key, in: session, at: place)
        trackAndQueue(
            task,
            completion: { [self] task in
                callbackCount += 1
                if let error = task.error { failures[task.key] = error }
                trackNext()
            }
        )
    }

    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
        error is RemoteFailureError || error is UndeliverableError ? .carryOn : .failJob
    }
}
