import JobKit
import Synchronization

/// R2: an observer that calls every method of the job that notifies it.
final class AskingObserver: JobObserver {
    private let world: World
    private let count = Atomic(0)

    init(_ world: World) { self.world = world }

    func job(_ job: JobController, didRecord event: JobEvent) {
        if event.rootID == event.operationID, event.parentID != nil {
            world.complain("R2: \(event.name) is its own root, and has a parent")
        }
        if event.kind != .finished, event.duration != nil {
            world.complain("R2: \(event.kind) of \(event.name) has a duration")
        }
        switch count.add(1, ordering: .relaxed).newValue % 16 {
        case 3: _ = job.explainStall(limit: 5)
        case 5: _ = job.events(bufferingNewest: 3)
        case 7: _ = job.snapshot(limit: 5)
        case 11: _ = (job.progress.fractionCompleted, job.trackedTasks.count)
        case 15: job.addObserver(TimelineRecorder(limit: 1))
        default: break
        }
    }
}
