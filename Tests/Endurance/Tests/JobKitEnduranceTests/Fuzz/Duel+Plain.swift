import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

// Operation forces @unchecked. The permission is atomic.
/// A plain operation with its own `isReady`, which sends no KVO notifications.
final class PermittedOperation: Operation, @unchecked Sendable {
    private let isPermitted = Atomic(false)

    override var isReady: Bool {
        isPermitted.load(ordering: .acquiring) && super.isReady
    }

    func permit() { isPermitted.store(true, ordering: .releasing) }
}

extension Duel {
    static let ofPlainOperations = [
        Duel("the numbers of operations that two ask for first") { dice, referee in
            let operations: [Operation] = (0..<20)
                .map { $0 % 2 == 0 ? BlockOperation {} : HeldOperation("held") }
            let barrier = TurnBarrier(threads: 2)
            let given = Guarded<[[Int]]>([])
            let ask: @Sendable () -> Void = {
                let numbers = operations.map { operation in
                    barrier.wait()
                    return operation.operationID
                }
                given.withLock { $0.append(numbers) }
            }
            await dice.race(ask, ask)
            let all = given.withLock { $0 }
            referee.expect(all[0] == all[1], "R2: one operation has two numbers: \(all)")
        },
        Duel("plain dependencies against the queue's cancel") { dice, _ in
            let queue = TaskQueue(name: "duel")
            let dependencies = (0..<dice.number(1...8)).map { _ in BlockOperation {} }
            // The operation is freed before its dependencies finish, or kept.
            var kept: Operation? = BlockOperation {}
            if let waiting = kept {
                for dependency in dependencies { waiting.addDependency(dependency) }
                await dice.race(
                    { queue.addOperation(waiting) },
                    {
                        while queue.operationCount == 0, !waiting.isFinished { giveWay() }
                        queue.cancelAllOperations()
                    }
                )
                await waiting.waitForFinish()
            }
            if dice.one(in: 2) { kept = nil }
            for dependency in dependencies { dependency.start() }
            // The queue is notified of the completion in addition to those that wait for it.
            while queue.operationCount > 0 { await Task.yield() }
            withExtendedLifetime(kept) {}
        },
        Duel("hooks that register against their detach") { dice, referee in
            let operation = BlockOperation {}
            let hooks = (0..<dice.number(1...64))
                .map { _ in
                    FinishHook { referee.complain("O6: a detached hook heard of the finish") }
                }
            await dice.race(
                { for hook in hooks { hook.watch(operation) } },
                {
                    for hook in hooks {
                        referee.expect(hook.detach(), "O6: a watch was ended before its detach")
                    }
                }
            )
            // Foundation would notify the hook of the completion, but the hook was released.
            for hook in hooks {
                referee.expect(hook.dependencies.isEmpty, "O6: a detached hook is still registered")
            }
            operation.start()
        },
        Duel("plain operations tracked while their jobs end") { dice, referee in
            let jobs = (0..<dice.number(1...8)).map { _ in HeldJob() }
            for job in jobs {
                job.addObserver(EndingObserver())
                job.startJob(on: TaskQueue(name: "duel"))
            }
            for job in jobs { await job.began.waitUntilOpen() }
            let plain = jobs.map { _ in BlockOperation {} }
            let kept = Kept()
            await dice.race({
                for (job, plain) in zip(jobs, plain) {
                    let token = kept.make()
                    job.track(plain) { _ in _ = token }
                }
            })
            for (job, plain) in zip(jobs, plain) {
                job.cancel()
                await job.waitForFinish()
                referee.expect(
                    Array(plain.listeners).isEmpty,
                    "J10: an ended job still waits to hear of a finish"
                )
                referee.expect(job.outcome.map { "\($0)" } == "cancelled", "J8: not cancelled")
            }
            await referee.expectSoon("J10: an ended job keeps a closure") { kept.isReleased }
            for operation in plain { operation.start() }
        },
        Duel("an unready plain operation of a cancelled job") { dice, referee in
            let plain = PermittedOperation()
            let way = dice.number(0...2)
            let queue = TaskQueue(name: "duel")
            let job = ScriptedJob(queue: queue) { job in
                switch way {
                case 0: job.isSuspended = true
                case 1:
                    job.setMaxConcurrentOperationCount(1, for: .named("group"))
                    job.trackAndQueue(HeldOperation("first"), group: .named("group"))
                default: break
                }
                job.trackAndQueue(plain, group: .named("group"))
            }
            job.startJob(on: queue)
            await dice.race(
                {
                    while !job.isExecuting, !job.isFinished { giveWay() }
                    job.cancel()
                },
                {
                    // Otherwise nothing would start it in a queue.
                    while !job.isCancelled { giveWay() }
                    plain.permit()
                }
            )
            await job.waitForFinish()
            referee.expect(!plain.isExecuting, "J8: executes after its job has finished")
        },
    ]
}

// Operation forces @unchecked. The property is a constant.
/// A job that stays open until it is cancelled.
final class HeldJob: JobController, @unchecked Sendable {
    let began = Gate()

    override func main() {
        track(HeldOperation("never started"))
        began.open()
    }
}

/// Cancels the job that tracks a plain operation, while the job ends.
private final class EndingObserver: JobObserver {
    func job(_ job: JobController, didRecord event: JobEvent) {
        guard event.kind == .tracked, event.type == BlockOperation.self else { return }
        job.cancel()
        // It may finish after this returns.
        for _ in 0..<20 where !job.isFinished { giveWay() }
    }
}
