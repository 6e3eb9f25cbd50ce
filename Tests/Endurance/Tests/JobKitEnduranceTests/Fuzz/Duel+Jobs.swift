import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

// Operation forces @unchecked. The properties are constants.
/// A job that decides its ending while it is notified of a cancellation.
private final class ToldJob: JobController, @unchecked Sendable {
    private let referee: Referee
    private let whileTold: Delay
    let began = Gate()
    let first = HeldOperation("first")

    init(_ referee: Referee, whileTold: Delay) {
        self.referee = referee
        self.whileTold = whileTold
        super.init(queue: TaskQueue(name: "duel"))
    }

    override func main() {
        trackAndQueue(first)
        began.open()
    }

    override func didCancel() {
        referee.expect(!isFinished, "O5: a job is told of a cancel after its finish")
        whileTold.pass()
        referee.expect(!isFinished, "O5: a job finished while it was told of a cancel")
    }
}

// Operation forces @unchecked. The properties are constants.
/// A task that is released slowly and detects that its job was cancelled in the meantime.
private final class SlowlyReleasedOperation: ConcurrentOperation, @unchecked Sendable {
    private let delay: Delay
    private let cancel: CancelNotice

    init(_ delay: Delay, _ cancel: CancelNotice) {
        self.delay = delay
        self.cancel = cancel
    }

    deinit {
        delay.pass()
        cancel.taskReleased()
    }
}

/// Records the thread on which a task was released after `cancel()` had returned.
///
/// No callback may follow on that thread.
private final class CancelNotice: Sendable {
    private let state = Guarded((hasReturned: false, thread: ObjectIdentifier?.none))

    func cancelReturned() { state.withLock { $0.hasReturned = true } }

    func taskReleased() {
        let thread = ObjectIdentifier(Thread.current)
        state.withLock { if $0.hasReturned { $0.thread = thread } }
    }

    /// Whether the calling thread observed the cancellation before the callback that it runs.
    var forbidsCallback: Bool {
        let thread = ObjectIdentifier(Thread.current)
        return state.withLock { $0.thread == thread }
    }
}

// Operation forces @unchecked. The counter is used in callbacks, which are serial.
/// Takes one step after another, and records whether one begins after `cancel()` has returned.
private final class SteppingJob: JobController, @unchecked Sendable {
    private let referee: Referee
    private let delay: Delay
    private var steps = 0
    let notice = CancelNotice()

    init(_ referee: Referee, _ delay: Delay) {
        self.referee = referee
        self.delay = delay
        super.init(queue: TaskQueue(name: "duel"))
    }

    override func main() { step() }

    override func taskFinished(_ task: Operation) {
        referee.expect(!notice.forbidsCallback, "J8: a step callback after cancel() had returned")
        step()
    }

    private func step() {
        steps += 1
        guard steps < 1_000 else { return }
        // The task was started earlier, so only the job retains it at its delivery.
        let task = SlowlyReleasedOperation(delay, notice)
        task.start()
        track(task)
    }
}

extension Duel {
    static let ofJobs = [
        Duel("a job's own end against its cancel") { dice, referee in
            let job = ToldJob(referee, whileTold: dice.delay())
            job.startJob(on: TaskQueue(name: "duel jobs"))
            await job.began.waitUntilOpen()
            let ending = dice.number(0...2)
            await dice.race(
                {
                    switch ending {
                    case 0: job.finish()
                    case 1: job.finish(with: SampleError("duel"))
                    default: job.first.finish(with: SampleError("duel"))
                    }
                },
                { job.cancel() }
            )
            await job.waitForFinish()
        },
        Duel("steps against a cancel") { dice, referee in
            let job = SteppingJob(referee, Delay(spins: dice.number(0...3_000)))
            let pause = Delay(spins: dice.number(0...20_000))
            job.startJob(on: TaskQueue(name: "duel jobs"))
            await dice.race({
                while !job.isExecuting, !job.isFinished { giveWay() }
                pause.pass()
                job.cancel()
                job.notice.cancelReturned()
            })
            await job.waitForFinish()
        },
        Duel("a tree is cancelled depth first") { dice, referee in
            let tree = HeldTree(&dice)
            tree.root.startJob(on: TaskQueue(name: "duel"))
            for leaf in tree.leaves { await leaf.began.waitUntilOpen() }
            tree.root.cancel()
            let told = tree.log.events
            referee.expect(
                told == tree.order,
                "J8: told in the order \(told), not \(tree.order)"
            )
            await tree.root.waitForFinish()
        },
        Duel("progress of a job that succeeds") { dice, referee in
            let job = ScriptedJob(queue: TaskQueue(name: "duel")) { job in
                job.trackAndQueue(InstantOperation("task"))
            }
            let progress = job.progress
            await dice.race(
                { job.startJob(on: TaskQueue(name: "duel jobs")) },
                {
                    while !job.isFinished { giveWay() }
                    referee.expect(
                        progress.fractionCompleted == 1,
                        "R3: succeeded at \(progress.fractionCompleted)"
                    )
                }
            )
        },
    ]
}
