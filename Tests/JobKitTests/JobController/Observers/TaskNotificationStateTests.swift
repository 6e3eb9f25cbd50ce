import Testing

@testable import JobKit

@Suite struct TaskNotificationStateTests {
    /// Every state of the notifications of one task.
    private struct World: Hashable {
        var state = TaskNotificationState()
        var notifiers = 0
        var endsNotified = 0
        var hasStopped = false
        var isReleasable = false
        var hasLeft = false
        /// Whether something waits for threads that notify observers which have left.
        var removalWaits = false
    }

    /// Two threads notify, a job stops waiting, and observers are removed, at any time.
    ///
    /// One end is notified. Once no thread is notifying, the job stops waiting, and the code that
    /// waits for the notifications continues.
    @Test(arguments: [true, false]) func oneEndIsNotifiedInEveryOrder(isObserved: Bool) {
        var seen: Set<World> = []
        var waiting = [World()]
        while let world = waiting.popLast() {
            guard seen.insert(world).inserted else { continue }
            #expect(world.endsNotified <= 1)
            #expect(!world.hasStopped || world.notifiers == 0)
            #expect(!world.isReleasable || world.notifiers > 0 || world.hasStopped)
            #expect(!(world.hasStopped && isObserved) || world.endsNotified == 1)
            #expect(!world.removalWaits || world.notifiers > 0)
            waiting += next(world, isObserved: isObserved)
        }
        #expect(seen.contains { $0.hasStopped })
        #expect(seen.contains { $0.removalWaits } == isObserved)
    }

    private func next(_ world: World, isObserved: Bool) -> [World] {
        var worlds: [World] = []
        for kind in [JobEvent.Kind.started, .finished]
        where !world.hasStopped && world.notifiers < 2 && isObserved {
            var next = world
            guard next.state.begin(kind) else { continue }
            next.notifiers += 1
            if kind == .finished { next.endsNotified += 1 }
            worlds.append(next)
        }
        if world.notifiers > 0 {
            var next = world
            let stopsWaiting = next.state.end()
            next.notifiers -= 1
            if !next.state.isNotifying { next.removalWaits = false }
            if stopsWaiting { stopWaiting(&next, isObserved: isObserved) }
            worlds.append(next)
        }
        if isObserved, !world.hasLeft {
            var next = world
            next.hasLeft = true
            next.removalWaits = next.state.isNotifying
            #expect(next.removalWaits == (next.notifiers > 0))
            worlds.append(next)
        }
        if !world.hasStopped {
            var next = world
            next.isReleasable = true
            stopWaiting(&next, isObserved: isObserved)
            worlds.append(next)
        }
        return worlds
    }

    private func stopWaiting(_ world: inout World, isObserved: Bool) {
        switch world.state.waitIsOver(isObserved: isObserved) {
        case .stopWaiting: world.hasStopped = true
        case .later: break
        case .notifyDrop:
            world.notifiers += 1
            world.endsNotified += 1
        }
    }

    @Test func jobStopsWaitingForAFinishedTaskWithoutDroppingIt() {
        var state = TaskNotificationState()
        #expect(state.begin(.tracked) == true)
        #expect(state.end() == false)
        #expect(state.begin(.finished) == true)
        #expect(state.waitIsOver(isObserved: true) == .later)
        #expect(state.end() == true)
        #expect(state.waitIsOver(isObserved: true) == .stopWaiting)
    }

    @Test func droppedTaskIsNotNotifiedAgain() {
        var state = TaskNotificationState()
        #expect(state.waitIsOver(isObserved: true) == .notifyDrop)
        for kind in [JobEvent.Kind.tracked, .started, .finished, .dropped] {
            #expect(state.begin(kind) == false)
        }
    }

    @Test func deliveryIsNotifiedBehindTheEndAlone() {
        var state = TaskNotificationState()
        #expect(state.begin(.delivered) == false)
        #expect(state.begin(.finished) == true)
        #expect(state.end() == false)
        #expect(state.begin(.delivered) == true)
        #expect(state.isNotifying)
        #expect(state.end() == false)
        #expect(!state.isNotifying)
    }

    #if os(macOS) || os(Linux)
    @Test func endWithoutABeginningTraps() async {
        await #expect(processExitsWith: .failure) {
            var state = TaskNotificationState()
            _ = state.end()
        }
    }
    #endif
}
