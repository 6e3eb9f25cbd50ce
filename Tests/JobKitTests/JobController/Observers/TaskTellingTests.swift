import Testing

@testable import JobKit

@Suite struct TaskTellingTests {
    /// All that can have happened to one task, by the order of calls.
    private struct World: Hashable {
        var telling = TaskTelling(rawValue: 0)
        var tellers = 0
        var endsTold = 0
        var isSettled = false
        var isDue = false
        /// Two of three observers.
        var leavers = [Leaver(), Leaver()]
    }

    /// An observer that may leave.
    private struct Leaver: Hashable {
        var hasLeft = false
        /// Whether it is to be told that the task is dropped, when a telling has ended.
        var waits = false
        var endsTold = 0
    }

    /// Two threads that tell, a job that settles the task and two of three observers that leave, at
    /// any time: each observer is told of one end, and the task is settled once nobody tells any
    /// more.
    @Test(arguments: [true, false]) func oneEndIsToldInEveryOrder(isObserved: Bool) {
        var seen: Set<World> = []
        var waiting = [World()]
        while let world = waiting.popLast() {
            guard seen.insert(world).inserted else { continue }
            #expect(world.endsTold <= 1)
            #expect(!world.isSettled || world.tellers == 0)
            // What was to be settled is, as soon as nobody tells.
            #expect(!world.isDue || world.tellers > 0 || world.isSettled)
            #expect(!(world.isSettled && isObserved) || world.endsTold == 1)
            for leaver in world.leavers {
                #expect(leaver.endsTold <= 1)
                #expect(!(world.isSettled && isObserved) || leaver.endsTold == 1)
                #expect(!leaver.hasLeft || world.tellers > 0 || leaver.endsTold == 1)
            }
            waiting += next(world, isObserved: isObserved)
        }
        #expect(seen.contains { $0.isSettled })
    }

    private func next(_ world: World, isObserved: Bool) -> [World] {
        var worlds: [World] = []
        for endsTask in [true, false] where !world.isSettled && world.tellers < 2 && isObserved {
            var next = world
            guard next.telling.begin(endsTask: endsTask) else { continue }
            next.tellers += 1
            if endsTask { tellEnd(&next) }
            worlds.append(next)
        }
        if world.tellers > 0 {
            var next = world
            switch next.telling.end() {
            case .none: next.tellers -= 1
            case .leaveEnds:
                for index in next.leavers.indices where next.leavers[index].waits {
                    next.leavers[index].waits = false
                    next.leavers[index].endsTold += 1
                }
            case .settle:
                next.tellers -= 1
                settle(&next, isObserved: isObserved)
            }
            worlds.append(next)
        }
        for index in world.leavers.indices
        where isObserved && !world.leavers[index].hasLeft && !world.isSettled {
            var next = world
            next.leavers[index].hasLeft = true
            switch next.telling.observersLeft() {
            case .tellNow:
                next.tellers += 1
                next.leavers[index].endsTold += 1
            case .wait(let tellsDrop): next.leavers[index].waits = tellsDrop
            case .knowEnd: break
            }
            worlds.append(next)
        }
        if !world.isSettled {
            var next = world
            next.isDue = true
            settle(&next, isObserved: isObserved)
            worlds.append(next)
        }
        return worlds
    }

    private func settle(_ world: inout World, isObserved: Bool) {
        switch world.telling.settle(isObserved: isObserved) {
        case .settle: world.isSettled = true
        case .later: break
        case .tellDropped:
            world.tellers += 1
            tellEnd(&world)
        }
    }

    private func tellEnd(_ world: inout World) {
        world.endsTold += 1
        for index in world.leavers.indices where !world.leavers[index].hasLeft {
            world.leavers[index].endsTold += 1
        }
    }

    @Test func finishedTaskIsSettledWithoutBeingDropped() {
        var telling = TaskTelling.begun
        #expect(telling.end() == .none)
        #expect(telling.begin(endsTask: true) == true)
        #expect(telling.settle(isObserved: true) == .later)
        #expect(telling.end() == .settle)
        #expect(telling.settle(isObserved: true) == .settle)
    }

    @Test func nothingIsToldOfADroppedTask() {
        var telling = TaskTelling(rawValue: 0)
        #expect(telling.settle(isObserved: true) == .tellDropped)
        #expect(telling.begin(endsTask: false) == false)
        #expect(telling.begin(endsTask: true) == false)
    }

    #if os(macOS) || os(Linux)
    @Test func endWithoutATellingTraps() async {
        await #expect(processExitsWith: .failure) {
            var telling = TaskTelling(rawValue: 0)
            _ = telling.end()
        }
    }
    #endif
}
