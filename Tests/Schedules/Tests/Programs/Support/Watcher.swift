import JobKit
import Scheduler

/// Checks that the events of a job add up (R2).
final class Watcher: JobObserver, @unchecked Sendable {
    private struct Key: Hashable {
        let parent: Int?
        let operation: Int
    }

    private let world: World
    private var open: [Key: String] = [:]
    private(set) var hasEnded = false
    private(set) var kinds: [JobEvent.Kind] = []

    init(_ world: World) { self.world = world }

    func job(_ job: JobController, didRecord event: JobEvent) {
        world.expect(!hasEnded, "R2: \(event.kind) of \(event.name) after the own .finished")
        world.point()
        if event.parentID == nil {
            if event.kind == .finished { hasEnded = true }
            return
        }
        kinds.append(event.kind)
        let key = Key(parent: event.parentID, operation: event.operationID)
        let isOpen = open[key] != nil
        switch event.kind {
        case .tracked:
            world.expect(!isOpen, "R2: \(event.name) is tracked twice")
            open[key] = event.name
        case .started, .delivered: break
        case .finished, .dropped:
            world.expect(isOpen || !kinds.contains(.tracked), "R2: \(event.name) has ended twice")
            open[key] = nil
            if event.kind == .dropped { close(below: event.operationID) }
        }
    }

    /// Closes whatever is below a job that was dropped, unless another job tracks it.
    private func close(below id: Int) {
        guard !open.keys.contains(where: { $0.operation == id }) else { return }
        for key in open.keys where key.parent == id {
            open[key] = nil
            close(below: key.operation)
        }
    }

    func check() {
        world.expect(hasEnded, "R2: no .finished of the job")
        world.expect(open.isEmpty, "R2: .tracked without an end: \(open.values.sorted())")
    }
}
