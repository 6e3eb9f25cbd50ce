import Testing

@testable import JobKit

@Suite struct TaskNotificationStateTests {
    /// Every state of the notifications of one task.
    private struct World: Hashable {
        var state = TaskNotificationState(rawValue: 0)
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
        for endsTask in [true, false] where !world.hasStopped && world.notifiers < 2 && isObserved {
            var next = world
            guard next.state.begin(endsTask: endsTask) else { continue }
            next.notifiers += 1
            if endsTask { next.endsNotified += 1 }
            worlds.append(next)
        }
        if world.notifiers > 0 {
            var next = world
            let action = next.state.end()
            next.notifiers -= 1
            if action.stepsRemovals { next.removalWaits = false }
            if action.stopsWaiting { stopWaiting(&next, isObserved: isObserved) }
            worlds.append(next)
        }
        if isObserved, !world.hasLeft {
            var next = world
            next.hasLeft = true
            next.removalWaits = next.state.observersRemoved()
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
        var state = TaskNotificationState.begun
        #expect(state.end() == (false, false))
        #expect(state.begin(endsTask: true) == true)
        #expect(state.waitIsOver(isObserved: true) == .later)
        #expect(state.end() == (false, true))
        #expect(state.waitIsOver(isObserved: true) == .stopWaiting)
    }

    @Test func droppedTaskIsNotNotifiedAgain() {
        var state = TaskNotificationState(rawValue: 0)
        #expect(state.waitIsOver(isObserved: true) == .notifyDrop)
        #expect(state.begin(endsTask: false) == false)
        #expect(state.begin(endsTask: true) == false)
    }

    @Test func deliveryIsNotifiedBehindTheEndAlone() {
        var state = TaskNotificationState.begun
        #expect(state.beginDelivery() == false)
        #expect(state.end() == (false, false))
        #expect(state.begin(endsTask: true) == true)
        #expect(state.end() == (false, false))
        #expect(state.beginDelivery() == true)
        #expect(state.observersRemoved() == true)
        #expect(state.end() == (true, false))
    }

    #if os(macOS) || os(Linux)
    @Test func endWithoutABeginningTraps() async {
        await #expect(processExitsWith: .failure) {
            var state = TaskNotificationState(rawValue: 0)
            _ = state.end()
        }
    }
    #endif
}
