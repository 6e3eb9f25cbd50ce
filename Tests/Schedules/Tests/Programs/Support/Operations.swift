import Foundation
import JobKit
import Scheduler

struct ProgramError: Error {}

/// An operation that checks in which order its methods are called (O2, O5, O12).
class Witness: ConcurrentOperation, @unchecked Sendable {
    let world: World
    private let finishesInMain: Bool
    private let stops: Bool
    private(set) var entered = 0
    private(set) var asked = 0
    private(set) var endings = 0
    private var isBlockCalled = false

    init(_ world: World, _ name: String = "task", finishes: Bool = true, stops: Bool = true) {
        (self.world, finishesInMain, self.stops) = (world, finishes, stops)
        super.init()
        self.name = name
    }

    override func main() {
        entered += 1
        world.expect(entered == 1, "O5: \(title) entered main() twice")
        world.record("\(title) began")
        world.point()
        if finishesInMain { finish() }
    }

    override func didCancel() {
        asked += 1
        world.expect(asked == 1, "O5: didCancel() of \(title) was called twice")
        world.expect(entered == 1, "O5: didCancel() of \(title) came before main()")
        world.expect(!isFinished, "O5: didCancel() of \(title) came after the finish")
        world.point()
        world.expect(!isFinished, "O5: \(title) finished during didCancel()")
        if stops { finish() }
    }

    override func willFinish() {
        endings += 1
        world.expect(endings == 1, "O12: willFinish() of \(title) was called twice")
        world.expect(!isFinished, "O12: willFinish() of \(title) came after the finish")
        world.expect(outcome != nil, "O12: \(title) has no outcome in willFinish()")
    }

    var title: String { name ?? "" }

    /// Checks a finished operation.
    func check() {
        world.expect(isFinished, "\(title) has not finished")
        world.expect(!isExecuting, "O1: \(title) is finished and executing")
        world.expect(endings == 1, "O12: willFinish() of \(title) was called \(endings) times")
        if case .cancelled? = outcome { world.expect(isCancelled, "O3: \(title) is not cancelled") }
    }
}

/// An operation that counts itself in a section from `main()` to its end.
final class Counted: ConcurrentOperation, @unchecked Sendable {
    let world: World
    private let section: String
    private let limit: Int

    init(_ world: World, _ section: String, limit: Int, name: String = "task") {
        (self.world, self.section, self.limit) = (world, section, limit)
        super.init()
        self.name = name
    }

    override func main() {
        world.section(section, limit: limit)
        finish()
    }
}

/// A job whose callbacks are closures, and which checks that they are serial (J1, J2, J5, J8).
class Script: JobController, @unchecked Sendable {
    let world: World
    private let body: (Script) -> Void
    private(set) var delivered: [String] = []
    private(set) var emptied = 0
    private(set) var cancelled = 0
    var onFinished: (Script, Operation) -> Void = { _, _ in }
    var onAllFinished: (Script) -> Void = { _ in }
    var response = FailureResponse.failJob

    init(
        _ world: World,
        _ name: String = "job",
        queue: any OperationScheduling,
        _ body: @escaping (Script) -> Void
    ) {
        (self.world, self.body) = (world, body)
        super.init(name: name, queue: queue)
    }

    private func callback(_ body: () -> Void) {
        world.expect(!isFinished, "O5: a callback of \(name ?? "") after its finish")
        world.section("callbacks of \(name ?? "")", body)
    }

    override func main() { callback { body(self) } }

    override func taskFinished(_ task: Operation) {
        callback {
            world.expect(task.isFinished, "J5: a task is delivered before it has finished")
            delivered.append(task.name ?? "")
            world.expect(
                Set(delivered).count == delivered.count,
                "J5: delivered twice: \(delivered)"
            )
            onFinished(self, task)
        }
    }

    override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse { response }

    override func allTasksFinished() {
        callback {
            emptied += 1
            onAllFinished(self)
        }
    }

    override func jobCancelled() { callback { cancelled += 1 } }

    /// Checks a finished job.
    func check(delivered count: Int? = nil) {
        world.expect(isFinished, "\(name ?? "") has not finished")
        world.expect(trackedTasks.isEmpty, "J4: unfinished tasks \(trackedTasks)")
        if let count { world.expectEqual(delivered.count, count, "J5: delivered") }
        switch outcome {
        case .succeeded?: break
        case .cancelled?: world.expect(cancelled <= 1, "J8: jobCancelled() \(cancelled) times")
        default: break
        }
        if cancelled > 0, case .cancelled? = outcome {
        } else {
            world.expect(cancelled == 0, "J8: jobCancelled() of a job that is \(outcome as Any)")
        }
    }
}

extension World {
    func wait(for operations: Operation...) { wait { operations.allSatisfy(\.isFinished) } }

    func queue(_ limit: Int? = nil) -> TaskQueue {
        limit.map { TaskQueue(name: "queue", maxConcurrentOperationCount: $0) }
            ?? TaskQueue(name: "queue")
    }

    /// An operation that executes until it is finished or cancelled.
    func held(_ name: String = "task", stops: Bool = true) -> Witness {
        let operation = Witness(self, name, finishes: false, stops: stops)
        operation.start()
        return operation
    }

    func script(_ name: String = "job", tracking tasks: Operation...) -> Script {
        script(name, tracking: tasks)
    }

    /// A job that tracks tasks and queues none.
    func script(_ name: String = "job", tracking tasks: [Operation]) -> Script {
        Script(self, name, queue: queue()) { job in
            for task in tasks { job.track(task) }
        }
    }

    /// A job that tracks some tasks, and a task that is followed by another one.
    func steps(on queue: TaskQueue, tracking tasks: Operation...) -> Script {
        let job = Script(self, queue: queue) { [self] job in
            for task in tasks { job.track(task) }
            job.trackAndQueue(Witness(self, "first"))
        }
        job.onFinished = { [self] job, task in
            if task.name == "first" { job.trackAndQueue(Witness(self, "second")) }
        }
        return job
    }

    /// A retry whose attempts fail until the one with a number.
    func retry(succeedingAt success: Int) -> RetryOperation<ClosureOperation<Void>> {
        RetryOperation(.exponential(attempts: 2, initialDelay: .seconds(1), jitter: 0)) { number in
            ClosureOperation(name: "attempt \(number)") { [self] in
                record("attempt")
                if number < success { throw ProgramError() }
            }
        }
    }
}
