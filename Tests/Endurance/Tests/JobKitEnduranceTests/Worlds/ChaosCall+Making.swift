import Foundation
import JobKit
import JobKitTesting

/// The calls of JobKit's public members by a chaos thread.
extension ChaosCall {
    func make(in world: World) {
        let jobs = world.jobs
        guard !jobs.isEmpty else { return }
        let job = jobs[target % jobs.count]
        callJob(job, world)
        let tracked = job.trackedSoFar
        if !tracked.isEmpty {
            callTask(tracked[other % tracked.count].task, of: tracked, world)
        }
        callQueue(world.taskQueues[target % world.taskQueues.count], world)
    }

    // MARK: Jobs

    private func callJob(_ job: WorldJob, _ world: World) {
        switch member {
        case .cancelJob: cancel(job, world)
        case .suspendJob:
            job.isSuspended = true
        case .resumeJob:
            job.expectResume()
            job.isSuspended = false
        case .finishJob:
            job.expectUnseenEnd()
            job.finish()
        case .failJob:
            job.expectUnseenEnd()
            job.finish(with: SampleError("chaos"))
        case .explainStall:
            let text = job.explainStall(limit: other % 12)
            if !text.hasPrefix(job.name ?? "") { world.complain("R4: \(text)") }
        case .snapshot: check(job.snapshot(limit: other % 12), of: job, world)
        case .progress: checkProgress(of: job, world)
        case .cancelProgress: job.progress.cancel()
        case .trackedTasks:
            // Each task was unfinished when it was listed. The test is that none of them is nil.
            if job.trackedTasks.contains(job) { world.complain("J13: a job tracks itself") }
        case .groupWidth: job.setMaxConcurrentOperationCount(1 + other % 3, for: .named("c"))
        case .groupCompletion: job.setCompletion(for: .named("c")) {}
        case .addObserver:
            let asks = other % 2 == 0
            let observer: any JobObserver =
                asks ? AskingObserver(world) : TimelineRecorder(limit: 5)
            job.addObserver(observer)
            if other % 4 == 1 { job.removeObserver(observer) }
        case .performAfter: job.perform(after: .microseconds(other)) {}
        case .reportOfJob: job.reportProgress(Double(other % 20) / 20)
        case .waitForJob: if job.isExecuting { Task { await job.waitForFinish() } }
        case .runtimeOfJob:
            job.expectUnseenEnd()
            job.maximumRuntime = .microseconds(other * 10)
        case .stopTimeOfJob where job.path.isEmpty: job.maximumStopTime = .microseconds(other * 10)
        case .outcomeOfJob: checkOutcome(of: job, world)
        default: break
        }
    }

    /// J8: `cancel()` reaches every task that was tracked before it returns.
    private func cancel(_ job: WorldJob, _ world: World) {
        let before = job.trackedSoFar
        for tracked in before where tracked.isShared {
            (tracked.task as? WorldTask)?.sharers.jobEnds(job)
        }
        job.expectUnseenEnd()
        job.cancel()
        // The first ending of a job counts, which may have been another one.
        for tracked in before
        where tracked.cancellation != .leaveRunning && !tracked.isShared
            && !(tracked.task is JobController)
        {
            // Tasks that a job leaves at its stop time are cancelled on another thread (O11).
            let isBroken = !tracked.task.isCancelled && !tracked.task.isFinished
            if isBroken, !job.isFinished, job.maximumStopTime == nil {
                world.complain("J8: \(tracked.task.name ?? "") was not told of the cancel")
            }
        }
    }

    private func check(_ snapshot: JobSnapshot, of job: WorldJob, _ world: World) {
        let isSound =
            snapshot.finishedCount <= snapshot.trackedCount
            && snapshot.failedCount <= snapshot.finishedCount
            && (0...1).contains(snapshot.fractionCompleted)
            && snapshot.id == job.operationID
        if !isSound { world.complain("R4: a snapshot says \(snapshot)") }
    }

    /// R3: the fraction never decreases, and is below 1 until the end.
    private func checkProgress(of job: WorldJob, _ world: World) {
        var last = 0.0
        for _ in 0..<5 {
            let wasFinished = job.isFinished
            let fraction = job.progress.fractionCompleted
            if fraction < last { world.complain("R3: \(fraction) after \(last)") }
            // A successful job sets its fraction a moment before it finishes.
            if fraction >= 1, !isSoon({ job.isFinished }) {
                world.complain("R3: \(fraction) before the end")
            }
            if wasFinished, case .succeeded? = job.outcome, fraction != 1 {
                world.complain("R3: \(fraction) of a success")
            }
            last = fraction
        }
    }

    private func isSoon(_ condition: () -> Bool) -> Bool {
        for _ in 0..<20_000 where !condition() { giveWay() }
        return condition()
    }

    private func checkOutcome(of operation: ConcurrentOperation, _ world: World) {
        let first = operation.outcome
        guard operation.isFinished else { return }
        let second = operation.outcome
        if second == nil { world.complain("O3: finished without an outcome") }
        if let first, let second, "\(first)" != "\(second)" {
            world.complain("O2: \(first), then \(second)")
        }
        if !operation.isFinished || operation.isExecuting {
            world.complain("O1: finished, and executing again")
        }
    }

    // MARK: Operations

    private func callTask(_ task: Operation, of tracked: [WorldJob.Tracked], _ world: World) {
        let own = task as? ConcurrentOperation
        let exposed = (task as? WorldTask).flatMap { $0.isExposed ? $0 : nil }
        switch member {
        case .cancelTask:
            (task as? WorldTask)?.sharers.expectCancel()
            if !(task is WorldJob) { task.cancel() }
        case .finishTask: exposed?.finish()
        case .failTask: exposed?.finish(with: SampleError("chaos"))
        case .addEdge, .removeEdge: changeEdge(of: task, tracked)
        case .dependencies: _ = task.dependencies.count
        case .priority:
            (task as? WorldTask)?.expectAnotherTurn()
            task.queuePriority = [.veryLow, .low, .normal, .high, .veryHigh][other % 5]
        case .completionBlock: task.completionBlock = {}
        case .reportProgress: exposed?.reportProgress(Double(other % 30) / 20 - 0.2)
        case .names:
            _ = "\(task.name ?? "") \(task.operationID) \(task) \(own?.statusNote ?? "")"
            _ = (task as? RetryOperation<WorldTask>)?.latestAttempt?.outcome?.description
            _ = (task as? ResultOperation<Int>)?.result
        case .waitForTask:
            (task as? RetryOperation<WorldTask>)?.retryNow()
            // A wait for a dropped task that no queue starts would never end.
            if let own, own.isExecuting { Task { await own.waitForFinish() } }
        case .states:
            _ = (task.isReady, task.isExecuting, task.isCancelled, task.isFinished)
            _ = (own?.isAbandoned, own?.outcome?.isSuccess)
        case .errorAndOutcome:
            if let own { checkOutcome(of: own, world) }
        case .runtimeOfTask: exposed?.maximumRuntime = .microseconds(other)
        case .stopTimeOfTask: exposed?.maximumStopTime = .microseconds(other)
        case .valueOfTask:
            if let task = task as? ResultOperation<Int> { Task { _ = try? await task.value } }
        default: break
        }
    }

    /// Returns one of the queues that may be suspended.
    private func pausedQueue(_ world: World) -> TaskQueue {
        world.pausedQueues[target % world.pausedQueues.count]
    }

    /// Adds or removes a dependency of the later of two tasks of one job on the earlier one.
    private func changeEdge(of task: Operation, _ tracked: [WorldJob.Tracked]) {
        guard let own = task as? WorldTask,
            let index = tracked.firstIndex(where: { $0.task === task }), index > 0,
            tracked[index].cancellation != .leaveRunning,
            // It may hold a key for which the earlier task waits.
            !tracked[index].isKeyed,
            let earlier = tracked[target % index].task as? WorldTask
        else { return }
        own.expectAnotherTurn()
        guard member == .removeEdge else { return own.addDependency(earlier) }
        own.expectLostEdge()
        own.removeDependency(earlier)
    }

    // MARK: Queues

    private func callQueue(_ queue: TaskQueue, _ world: World) {
        switch member {
        case .width:
            queue.maxConcurrentOperationCount =
                queue === world.few ? 1 + other % world.plan.width : 1
        case .suspendQueue where other % 5 == 0: world.keyed.isSuspended = true
        case .suspendQueue: pausedQueue(world).isSuspended = true
        case .resumeQueue:
            world.keyed.isSuspended = false
            pausedQueue(world).isSuspended = false
        case .addBlock: queue.addOperation {}
        case .addBarrier: world.side.addBarrierBlock {}
        case .addAsynchronous:
            queue.addAsynchronousOperation { done in
                DispatchQueue.global().async { done(nil) }
            }
        case .addTogether:
            queue.addOperations([BlockOperation {}, ClosureOperation {}, AsyncOperation {}])
        case .operations:
            let (count, operations) = (queue.operationCount, queue.operations)
            if count < 0 || operations.contains(where: { $0 is WorldJob && $0.name == nil }) {
                world.complain("Q1: \(count) operations")
            }
            _ = (queue.name, queue.qualityOfService, queue.maxConcurrentOperationCount)
            for operation in operations.prefix(4) { _ = queue.reasonNotStarted(operation) }
            for operation in world.keyed.operations(for: "b").prefix(4) {
                _ = world.keyed.reasonNotStarted(operation)
            }
        case .waitForQueue:
            Task {
                await queue.waitForAllOperations()
                await queue.waitForAllOperations()
                await queue.addOperationsAndWait([BlockOperation {}])
            }
        case .cancelQueue where other % 4 == 0:
            for job in world.jobs { job.expectUnseenEnd() }
            for case let task as WorldTask in world.tasks { task.sharers.expectCancel() }
            queue.cancelAllOperations()
            if other % 8 == 0 { world.keyed.cancelOperations(for: "a") }
        case .advanceClock: world.clock.advance(by: .microseconds(other))
        case .timeline:
            let timeline = world.recorder.timeline
            _ = (timeline.text(), timeline.mermaid(), timeline.criticalPath.count)
            _ = (timeline.svg().count, timeline.chromeTrace().count)
            _ = (timeline.groups.count, timeline.entries.map(\.timeAfterTasks))
        case .askPolicy:
            let policy = RetryPolicy.exponential(attempts: 3, initialDelay: .milliseconds(1))
            let delay = policy.nextDelay(afterAttempt: 1 + other % 4, error: SampleError("chaos"))
            if (delay == nil) != (other % 4 >= 2) {
                world.complain("R1: \(String(describing: delay)) after attempt \(1 + other % 4)")
            }
        default: break
        }
    }
}
