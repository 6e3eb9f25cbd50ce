import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

/// Cancels the job or the root at the *n*th event, inside the observer as users do.
private final class CancellingObserver: JobObserver {
    /// If nil, the job that reports the event is cancelled.
    private let root: Guarded<JobController?>
    private let left: Atomic<Int>

    init(at count: Int, root: JobController?) {
        self.root = Guarded(root)
        left = Atomic(count)
    }

    func job(_ job: JobController, didRecord event: JobEvent) {
        guard left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        (root.withLock { $0 } ?? job).cancel()
    }

    /// Releases the job, which retains its observers.
    func release() { root.withLock { $0 = nil } }
}

extension Duel {
    /// Returns a random task: a job, an operation that ends soon, or one that never starts itself.
    private static func task(_ dice: inout Dice, depth: Int) -> Operation {
        switch dice.number(0...(depth > 0 ? 5 : 4)) {
        case 0: return InstantOperation("instant")
        case 1: return InstantOperation("failing", failure: SampleError("duel"))
        case 2: return BlockOperation {}
        case 3: return AsyncOperation { await Task.yield() }
        case 4: return UserOperation("user")
        default:
            let tasks = (0..<dice.number(1...3)).map { _ in task(&dice, depth: depth - 1) }
            let job = ScriptedJob("nested", queue: TaskQueue(name: "duel")) { job in
                for task in tasks { job.trackAndQueue(task) }
            }
            job.onFailure = { _, _ in .carryOn }
            return job
        }
    }

    static let ofObservers = [
        Duel("the books of a job whose observer cancels it") { dice, referee in
            let tasks = (0..<dice.number(1...5)).map { _ in task(&dice, depth: 2) }
            let kinds: [TaskCancellation] = [.cancelAndWait, .cancelWithoutWaiting, .leaveRunning]
            let terms = tasks.map { _ in kinds[max(0, dice.number(-3...2))] }
            let job = ScriptedJob(queue: TaskQueue(name: "duel")) { job in
                for (task, terms) in zip(tasks, terms) {
                    job.trackAndQueue(task, cancellation: terms)
                }
            }
            let carriesOn = dice.one(in: 2)
            job.onFailure = { _, _ in carriesOn ? .carryOn : .failJob }
            let books = EventBooks()
            job.addObserver(books)
            let (count, cancelsRoot) = (dice.number(1...20), dice.one(in: 2))
            let canceller = CancellingObserver(at: count, root: cancelsRoot ? job : nil)
            job.addObserver(canceller)
            let isCancelled = dice.one(in: 3)
            await dice.race(
                { job.startJob(on: TaskQueue(name: "duel jobs")) },
                { if isCancelled { job.cancel() } }
            )
            await job.waitForFinish()
            // A wait for a job that was cancelled before its start returns at once, although the
            // start is still to come. Until then the accounts are empty.
            let limit = ContinuousClock.now + .seconds(300)
            while !job.isFinished || !books.complaints.isEmpty, ContinuousClock.now < limit {
                await Task.yield()
            }
            canceller.release()
            referee.expect(books.complaints.isEmpty, "R2: \(books.complaints)")
        },
        Duel("the critical path of a chain") { dice, referee in
            let kinds = (dice.one(in: 2), dice.one(in: 2))
            let first: Operation =
                kinds.0 ? BlockOperation {} : AsyncOperation { await Task.yield() }
            let second: Operation =
                kinds.1 ? BlockOperation {} : AsyncOperation { await Task.yield() }
            (first.name, second.name) = ("first", "second")
            second.addDependency(first)
            let job = ScriptedJob(queue: TaskQueue(name: "duel")) { job in
                job.trackAndQueue(first)
                job.trackAndQueue(second)
            }
            let recorder = TimelineRecorder()
            job.addObserver(recorder)
            job.startJob(on: TaskQueue(name: "duel jobs"))
            await job.waitForFinish()
            let path = recorder.timeline.criticalPath.map(\.name)
            referee.expect(path == ["first", "second"], "R5: the critical path is \(path)")
        },
    ]
}
