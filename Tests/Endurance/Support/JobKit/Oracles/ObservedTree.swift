import JobKit
import JobKitTesting
import XCTest

/// A random tree of jobs with tasks of every class and ending, and a thread that disturbs it.
final class ObservedTree: Sendable {
    // Operation forces @unchecked. The plan is a constant.
    private final class Node: JobController, @unchecked Sendable {
        let plan: [@Sendable (Node) -> Void]
        let carriesOn: Bool

        init(
            _ name: String,
            queue: any OperationScheduling,
            carriesOn: Bool,
            plan: [@Sendable (Node) -> Void]
        ) {
            self.plan = plan
            self.carriesOn = carriesOn
            super.init(queue: queue)
            self.name = name
        }

        override func main() {
            for step in plan { step(self) }
        }

        override func taskFailed(_ task: Operation, error: any Error) -> FailureResponse {
            carriesOn ? .carryOn : .failJob
        }
    }

    let root: JobController
    private let jobs: [JobController]
    private let held: [HeldOperation]
    private let shared: [ConcurrentOperation]
    private let disturbances: [@Sendable () -> Void]
    private let isDone = Gate()

    init(_ random: inout SeededGenerator) {
        let queues: [any OperationScheduling] = [
            TaskQueue(name: "wide"), TaskQueue(name: "narrow", maxConcurrentOperationCount: 1),
            OperationQueue(),
        ]
        var maker = Maker(queues: queues, random: random)
        root = maker.node("root", depth: 0)
        (jobs, held, shared) = (maker.jobs, maker.held, maker.shared)
        disturbances = maker.disturbances()
        random = maker.random
    }

    /// Cancels, suspends and finishes operations until all held tasks have finished.
    func disturb() {
        for disturbance in disturbances { disturbance() }
        for task in shared { task.start() }
        for task in held { task.finish() }
        for job in jobs { job.isSuspended = false }
        isDone.open()
    }

    /// Waits until the whole tree has finished.
    func finish() async {
        await isDone.waitUntilOpen()
        for task in held { task.finish() }
        for job in jobs { job.cancel() }
    }

    private struct Maker {
        let queues: [any OperationScheduling]
        var random: SeededGenerator
        var jobs: [JobController] = []
        var held: [HeldOperation] = []
        var shared: [ConcurrentOperation] = []
        /// The shared tasks that the current job tracks.
        private var taken: Set<ObjectIdentifier> = []

        init(queues: [any OperationScheduling], random: SeededGenerator) {
            self.queues = queues
            self.random = random
        }

        mutating func node(_ name: String, depth: Int) -> JobController {
            let queue = queues[Int.random(in: 0..<queues.count, using: &random)]
            var plan: [@Sendable (Node) -> Void] = []
            let outer = taken
            taken = []
            defer { taken = outer }
            let count = Int.random(in: 1...5, using: &random)
            for number in 0..<count { plan.append(step("\(name).\(number)", depth: depth)) }
            let node = Node(
                name,
                queue: queue,
                carriesOn: random.chance(50),
                plan: plan
            )
            jobs.append(node)
            return node
        }

        private mutating func step(_ name: String, depth: Int) -> @Sendable (Node) -> Void {
            let task = task(name, depth: depth)
            let cancellations: [TaskCancellation] = [
                .cancelAndWait, .cancelAndWait, .cancelWithoutWaiting, .leaveRunning,
            ]
            let cancellation = cancellations[Int.random(in: 0..<4, using: &random)]
            let endsEarly = random.chance(4)
            let nested: (@Sendable (Node) -> Void)? =
                depth < 2 && random.chance(30)
                ? step(name + "'", depth: depth + 1) : nil
            let isShared = shared.contains { $0 === task }
            return { node in
                if isShared {
                    node.track(task, cancellation: cancellation)
                } else if task is HeldOperation, task.operationID.isMultiple(of: 2) {
                    node.track(task, cancellation: cancellation)
                    if !task.isExecuting, !task.isFinished { task.start() }
                } else {
                    node.trackAndQueue(task, cancellation: cancellation) { _ in
                        nested?(node)
                        if endsEarly { node.finish() }
                    }
                }
            }
        }

        private mutating func task(_ name: String, depth: Int) -> Operation {
            switch Int.random(in: 0..<(depth < 3 ? 8 : 6), using: &random) {
            case 0:
                return InstantOperation(name, failure: SampleError("no"))
            case 1:
                let task = BlockOperation {}
                task.name = name
                return task
            case 2:
                let task = HeldOperation(name, stopsWhenCancelled: random.chance(50))
                held.append(task)
                return task
            case 3:
                return AsyncOperation(name: name) { await Task.yield() }
            case 4:
                if let known = shared.first(where: { !taken.contains(ObjectIdentifier($0)) }) {
                    taken.insert(ObjectIdentifier(known))
                    return known
                }
                let task = AsyncOperation(name: name) { await Task.yield() }
                shared.append(task)
                taken.insert(ObjectIdentifier(task))
                return task
            case 5:
                return InstantOperation(name)
            default:
                return node(name, depth: depth + 1)
            }
        }

        mutating func disturbances() -> [@Sendable () -> Void] {
            (0..<Int.random(in: 0...8, using: &random))
                .map { _ -> @Sendable () -> Void in
                    let job = jobs[Int.random(in: 0..<jobs.count, using: &random)]
                    let pause = Int.random(in: 0...500, using: &random)
                    let kind = Int.random(in: 0..<10, using: &random)
                    let held = held.randomElement(using: &random)
                    return {
                        giveWay(forMicroseconds: pause)
                        switch kind {
                        case 0...3: job.cancel()
                        case 4: job.isSuspended.toggle()
                        case 5: for task in job.trackedTasks { task.cancel() }
                        case 6:
                            job.setMaxConcurrentOperationCount(
                                1,
                                for: .type(InstantOperation.self)
                            )
                        default: held?.finish()
                        }
                    }
                }
        }
    }
}
