import Foundation
import JobKit
import JobKitTesting
import Synchronization

// Operation forces @unchecked. All mutable state is atomic.
/// Counts itself at its queue's gauge from `main()` until any thread finishes it.
final class GaugedOperation: ConcurrentOperation, @unchecked Sendable {
    private let gauge: Gauge
    private let stage = Atomic(0)
    private let isOver = Atomic(false)
    private let finishesInMain: Bool

    init(_ gauge: Gauge, finishesInMain: Bool) {
        self.gauge = gauge
        self.finishesInMain = finishesInMain
    }

    override func main() {
        let (isFirst, _) = stage.compareExchange(
            expected: 0,
            desired: 1,
            ordering: .acquiringAndReleasing
        )
        if isFirst { gauge.enter() }
        isOver.store(true, ordering: .releasing)
        if finishesInMain { end() }
    }

    override func didCancel() { end() }

    /// Ends the work, from any thread.
    func end() {
        let before = stage.exchange(2, ordering: .acquiringAndReleasing)
        // The first caller finishes the operation, and may not have left the gauge yet.
        guard before < 2 else { return }
        if before == 1 {
            // main() may not have counted itself yet.
            while !isOver.load(ordering: .acquiring) { giveWay() }
            gauge.leave()
        }
        finish()
    }
}

// Operation forces @unchecked. The properties are constant or used in callbacks, which are serial.
/// Adds its tasks, and jobs like itself, to its own queue.
private final class LodgingJob: JobController, @unchecked Sendable {
    private var dice: Dice
    private let gauge: Gauge
    private let depth: Int
    private var left: Int
    private let referee: Referee

    init(_ dice: inout Dice, queue: TaskQueue, gauge: Gauge, depth: Int, referee: Referee) {
        self.dice = Dice(seed: dice.next())
        self.gauge = gauge
        self.depth = depth
        self.referee = referee
        left = dice.number(1...6)
        super.init(queue: queue)
    }

    override func main() { for _ in 0..<dice.number(1...3) { grow() } }

    override func taskFinished(_ task: Operation) { if dice.one(in: 2) { grow() } }

    private func grow() {
        guard left > 0 else { return }
        left -= 1
        if depth < 3, dice.one(in: 3), let queue = queue as? TaskQueue {
            trackAndQueue(
                LodgingJob(&dice, queue: queue, gauge: gauge, depth: depth + 1, referee: referee)
            )
            return
        }
        let task = GaugedOperation(gauge, finishesInMain: dice.one(in: 3))
        task.queuePriority = [.low, .normal, .high][dice.number(0...2)]
        let delay = dice.delay()
        DispatchQueue.global()
            .async {
                delay.pass()
                task.end()
            }
        trackAndQueue(task)
    }
}

extension Duel {
    static let ofQueues = [
        Duel("jobs and their tasks in one queue of limited width") { dice, referee in
            let width = dice.number(1...2)
            let queue = TaskQueue(name: "lodgings", maxConcurrentOperationCount: width)
            let gauge = Gauge(limit: width)
            let jobs = (0..<dice.number(1...3))
                .map { _ in
                    LodgingJob(&dice, queue: queue, gauge: gauge, depth: 0, referee: referee)
                }
            let cancelled = dice.one(in: 4) ? jobs.first : nil
            await dice.race(
                { for job in jobs { job.startJob(on: queue) } },
                { cancelled?.cancel() }
            )
            for job in jobs { await job.waitForFinish() }
            referee.expect(
                !gauge.wasExceeded,
                "Q1, J12: more than \(width) execute in a queue of that width"
            )
        },
        Duel("operations added together start by priority") { dice, referee in
            let queue = TaskQueue(name: "together", maxConcurrentOperationCount: 1)
            let log = EventLog()
            let priorities: [Operation.QueuePriority] = [.veryLow, .normal, .veryHigh]
            let operations = priorities.map { priority in
                let operation = BlockOperation { log.record("\(priority.rawValue)") }
                operation.queuePriority = priority
                return operation
            }
            queue.addOperations(operations)
            for operation in operations { await operation.waitForFinish() }
            referee.expect(log.events == ["8", "0", "-8"], "Q2: started as \(log.events)")
        },
    ]
}
