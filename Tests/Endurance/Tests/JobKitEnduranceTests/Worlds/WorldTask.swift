import Foundation
import Synchronization

@testable import JobKit

/// The jobs with a context in which code runs, outermost first (J16).
enum WorldContext {
    @TaskLocal static var path: [Int] = []
}

/// The conditions that must hold when a task is started.
struct WorldTerms: Sendable {
    /// The world that receives complaints.
    let world: World
    /// Count the tasks that execute in a queue or group, up to its limit.
    let gauges: [Gauge]
    /// The contexts of its start, or nil if code outside the world's jobs starts it.
    let path: [Int]?
    /// The operations that must have finished before it.
    let dependencies: [Operation]
}

// Operation forces @unchecked. All mutable state is atomic.
/// A task that checks its own lifecycle: O2, O5, O10, J14, J16, Q1.
final class WorldTask: ConcurrentOperation, @unchecked Sendable {
    enum Work: Sendable { case instant, later, watched, deaf }

    private let work: Work
    private let failure: SampleError?
    private let terms: WorldTerms
    private let mains = Atomic(0)
    private let cancels = Atomic(0)
    private let ends = Atomic(0)
    private let hasLostEdges = Atomic(false)
    private let isDisturbed = Atomic(false)
    private let token: ReleaseToken
    /// Nil unless the job was suspended when it tracked the task.
    private let isHeld: (@Sendable () -> Bool)?

    init(
        _ name: String,
        _ work: Work,
        failure: SampleError? = nil,
        terms: WorldTerms,
        isHeld: (@Sendable () -> Bool)? = nil
    ) {
        self.work = work
        self.failure = failure
        self.terms = terms
        self.isHeld = isHeld
        token = terms.world.living.make("\(name), \(work)")
        super.init()
        self.name = name
    }

    /// The jobs that track it, if there are several.
    let sharers = Sharers()

    /// Whether chaos may finish it at any time, so that no gauge counts it.
    var isExposed: Bool { terms.gauges.isEmpty }

    var hasEnteredMain: Bool { mains.load(ordering: .acquiring) > 0 }

    /// Whether it waits only for its turn, with its original priority.
    var isOrderly: Bool { !isDisturbed.load(ordering: .sequentiallyConsistent) }

    /// Prepares for another dependency or priority, after which its turn is unknown.
    func expectAnotherTurn() { isDisturbed.store(true, ordering: .sequentiallyConsistent) }

    /// Prepares for chaos to remove a dependency.
    func expectLostEdge() { hasLostEdges.store(true, ordering: .releasing) }

    override func main() {
        let world = terms.world
        if mains.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
            world.complain("O7: \(name ?? "") enters main() again")
        }
        if isHeld?() == true { world.complain("J14: \(name ?? "") was started while held") }
        if !hasLostEdges.load(ordering: .acquiring) { terms.checkDependencies(of: self) }
        terms.checkPath(of: name ?? "")
        // An abandoned task continues here although its permit is free (O11), so it is not counted.
        if work != .deaf { for gauge in terms.gauges { gauge.enter() } }
        if let text = world.ordered.started(self) { world.complain(text) }
        switch work {
        case .instant: endTask()
        case .later:
            DispatchQueue.global()
                .async { [self] in
                    Delay(spins: operationID % 7 * 500, yields: operationID % 4 * 20).pass()
                    endTask()
                }
        case .watched: world.watched.add { self.endTask() }
        case .deaf: break
        }
    }

    /// Continues until its work is done, because this task is slow to stop.
    override func didCancel() {
        if cancels.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
            terms.world.complain("O5: \(name ?? "") is told again of its cancel")
        }
        // An abandoned task may finish while its didCancel() runs (O11).
        let isFollowed = maximumStopTime == nil
        if isFollowed, isFinished {
            terms.world.complain("O5: \(name ?? "") is told after its finish")
        }
        if let complaint = sharers.complaint { terms.world.complain("J17: \(complaint)") }
        Delay(spins: operationID % 5 * 200).pass()
        if isFollowed, maximumStopTime == nil, isFinished {
            terms.world.complain("O5: \(name ?? "") has finished while it is told")
        }
    }

    override func willFinish() {
        if ends.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
            terms.world.complain("O12: \(name ?? "") ends again")
        }
        if isFinished || outcome == nil {
            terms.world.complain("O12: \(name ?? "") has finished, or has no outcome")
        }
    }

    /// Whether `willFinish()` was called.
    var hasEnded: Bool { ends.load(ordering: .acquiring) == 1 }

    private func endTask() {
        for gauge in terms.gauges { gauge.leave() }
        if !isExposed, maximumStopTime == nil { terms.world.ordered.ending(self) }
        if let failure { finish(with: failure) } else { finish() }
    }
}

/// The jobs that track one task, of which the last to end cancels it (J17).
final class Sharers: Sendable {
    private let jobs = Guarded((tracking: [Sharer](), left: [Sharer]()))
    private let mayBeCancelled = Atomic(false)

    /// Records that the job has tracked the task.
    func add(_ job: WorldJob) { jobs.withLock { $0.tracking.append(Sharer(job)) } }

    /// Records that the job is about to end and leaves the task to the others that track it.
    func jobEnds(_ job: WorldJob) {
        jobs.withLock { jobs in
            jobs.left += jobs.tracking.filter { $0.job !== job && $0.goesOn }
        }
    }

    /// Prepares for something else to cancel the task.
    func expectCancel() { mayBeCancelled.store(true, ordering: .releasing) }

    /// Returns the violation that a cancellation would be now, or nil.
    var complaint: String? {
        guard !mayBeCancelled.load(ordering: .acquiring) else { return nil }
        let going = jobs.withLock { $0.left }.first { $0.goesOn }
        return going.map { "cancelled, though \($0.job?.name ?? "") goes on" }
    }
}

/// A weak reference to a job that tracks the task, which the job retains.
private struct Sharer: Sendable {
    private(set) weak var job: WorldJob?

    init(_ job: WorldJob) { self.job = job }

    var goesOn: Bool { job.map { !$0.mayHaveEnded } ?? false }
}

extension WorldTerms {
    func checkDependencies(of operation: Operation) {
        for dependency in dependencies where !dependency.isFinished && !operation.isCancelled {
            world.complain(
                "O10: \(operation.name ?? "") starts before \(dependency.name ?? "") has finished"
            )
        }
    }

    func checkPath(of name: String) {
        guard let path else { return }
        let found = WorldContext.path
        if !path.isSubsequence(of: found) {
            world.complain("J16: \(name) runs in \(found), not in \(path)")
        }
    }
}

extension [Int] {
    /// Whether `other` contains all elements in this order.
    fileprivate func isSubsequence(of other: [Int]) -> Bool {
        var rest = self[...]
        for element in other where element == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }
}
