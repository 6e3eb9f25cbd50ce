import Testing

@testable import JobKit

@Suite struct NotificationStateTests {
    /// All that can have happened to one task, by the order of calls.
    private struct World: Hashable {
        var state = NotificationState(rawValue: 0)
        var notifiers = 0
        var endsNotified = 0
        var hasStopped = false
        var isDue = false
        /// Two of three observers.
        var leavers = [Leaver(), Leaver()]
    }

    /// An observer that may leave.
    private struct Leaver: Hashable {
        var hasLeft = false
        /// Whether it is notified that the task is dropped, once no thread is notifying.
        var waits = false
        var endsNotified = 0
    }

    /// Two threads that notify, a job that stops waiting and two of three observers that leave, at
    /// any time: each observer is notified of one end, and the job stops waiting once no thread is
    /// notifying.
    @Test(arguments: [true, false]) func oneEndIsNotifiedInEveryOrder(isObserved: Bool) {
        var seen: Set<World> = []
        var waiting = [World()]
        while let world = waiting.popLast() {
            guard seen.insert(world).inserted else { continue }
            #expect(world.endsNotified <= 1)
            #expect(!world.hasStopped || world.notifiers == 0)
            // The job stops waiting as soon as no thread is notifying.
            #expect(!world.isDue || world.notifiers > 0 || world.hasStopped)
            #expect(!(world.hasStopped && isObserved) || world.endsNotified == 1)
            for leaver in world.leavers {
                #expect(leaver.endsNotified <= 1)
                #expect(!(world.hasStopped && isObserved) || leaver.endsNotified == 1)
                #expect(!leaver.hasLeft || world.notifiers > 0 || leaver.endsNotified == 1)
            }
            waiting += next(world, isObserved: isObserved)
        }
        #expect(seen.contains { $0.hasStopped })
    }

    private func next(_ world: World, isObserved: Bool) -> [World] {
        var worlds: [World] = []
        for endsTask in [true, false] where !world.hasStopped && world.notifiers < 2 && isObserved {
            var next = world
            guard next.state.begin(endsTask: endsTask) else { continue }
            next.notifiers += 1
            if endsTask { notifyEnd(&next) }
            worlds.append(next)
        }
        if world.notifiers > 0 {
            var next = world
            switch next.state.end() {
            case .none: next.notifiers -= 1
            case .notifyLeavers:
                for index in next.leavers.indices where next.leavers[index].waits {
                    next.leavers[index].waits = false
                    next.leavers[index].endsNotified += 1
                }
            case .stopWaiting:
                next.notifiers -= 1
                stopWaiting(&next, isObserved: isObserved)
            }
            worlds.append(next)
        }
        for index in world.leavers.indices
        where isObserved && !world.leavers[index].hasLeft && !world.hasStopped {
            var next = world
            next.leavers[index].hasLeft = true
            switch next.state.observersLeft() {
            case .notifyNow:
                next.notifiers += 1
                next.leavers[index].endsNotified += 1
            case .wait(let notifiesDrop): next.leavers[index].waits = notifiesDrop
            case .knowEnd: break
            }
            worlds.append(next)
        }
        if !world.hasStopped {
            var next = world
            next.isDue = true
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
            notifyEnd(&world)
        }
    }

    private func notifyEnd(_ world: inout World) {
        world.endsNotified += 1
        for index in world.leavers.indices where !world.leavers[index].hasLeft {
            world.leavers[index].endsNotified += 1
        }
    }

    @Test func jobStopsWaitingForAFinishedTaskWithoutDroppingIt() {
        var state = NotificationState.begun
        #expect(state.end() == .none)
        #expect(state.begin(endsTask: true) == true)
        #expect(state.waitIsOver(isObserved: true) == .later)
        #expect(state.end() == .stopWaiting)
        #expect(state.waitIsOver(isObserved: true) == .stopWaiting)
    }

    @Test func droppedTaskIsNotNotifiedAgain() {
        var state = NotificationState(rawValue: 0)
        #expect(state.waitIsOver(isObserved: true) == .notifyDrop)
        #expect(state.begin(endsTask: false) == false)
        #expect(state.begin(endsTask: true) == false)
    }

    #if os(macOS) || os(Linux)
    @Test func endWithoutABeginningTraps() async {
        await #expect(processExitsWith: .failure) {
            var state = NotificationState(rawValue: 0)
            _ = state.end()
        }
    }
    #endif
}
