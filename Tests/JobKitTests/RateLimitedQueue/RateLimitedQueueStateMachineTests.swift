import Testing

@testable import JobKit

// Q8
@Suite struct RateLimitedQueueStateMachineTests {
    private typealias Machine = RateLimitedQueueStateMachine<String>

    /// Adds entries that are ready.
    private func machine(
        limit: Int,
        seconds: Int = 10,
        _ entries: [(String, OperationPriority)]
    ) -> (Machine, [String: TaskQueueTicket]) {
        var machine = Machine(limit: limit, interval: .seconds(seconds))
        var tickets: [String: TaskQueueTicket] = [:]
        for (entry, priority) in entries {
            let ticket = machine.entryAdded(entry, priority: priority)
            machine.entryBecameReady(ticket)
            tickets[entry] = ticket
        }
        return (machine, tickets)
    }

    /// Forwards all permitted entries at one time, and starts them at once.
    ///
    /// - Returns: The entries and the last step, which forwarded nothing.
    private func handOn(_ machine: inout Machine, at seconds: Int) -> ([String], Machine.Action) {
        var (entries, last): ([String], Machine.Action) = ([], .nothing)
        while true {
            let action = machine.nextAction(at: machine.reading(seconds))
            switch action {
            case .passOn(let entry, let ticket, _):
                entries.append(entry)
                machine.entryStarted(ticket, at: machine.reading(seconds))
            case .sleep: last = action
            case .nothing: return (entries, last)
            }
        }
    }

    @Test func noMoreThanTheLimitInAnInterval() {
        var (machine, _) = machine(limit: 2, ["a", "b", "c", "d", "e"].map { ($0, .normal) })
        #expect(handOn(&machine, at: 0) == (["a", "b"], .sleep(.seconds(10))))
        #expect(handOn(&machine, at: 9) == ([], .nothing))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 10) == (["c", "d"], .sleep(.seconds(10))))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 25) == (["e"], .nothing))
    }

    @Test func windowSlides() {
        var (machine, _) = machine(limit: 2, [("a", .normal)])
        #expect(handOn(&machine, at: 0).0 == ["a"])
        for entry in ["b", "c", "d"] {
            machine.entryBecameReady(machine.entryAdded(entry, priority: .normal))
        }
        #expect(handOn(&machine, at: 9) == (["b"], .sleep(.seconds(1))))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 10) == (["c"], .sleep(.seconds(9))))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 19) == (["d"], .nothing))
    }

    @Test func entryCountsUntilAnIntervalAfterItsStart() throws {
        var (machine, tickets) = machine(limit: 1, [("slow", .normal), ("next", .normal)])
        let slow = try #require(tickets["slow"])
        #expect(machine.nextAction(at: machine.reading(0)) == .passOn("slow", slow, .normal))
        #expect(machine.nextAction(at: machine.reading(100)) == .nothing)
        machine.entryStarted(slow, at: machine.reading(107))
        machine.entryStarted(slow, at: machine.reading(200))
        #expect(machine.nextAction(at: machine.reading(108)) == .sleep(.seconds(9)))
        #expect(machine.nextAction(at: machine.reading(108)) == .nothing)
    }

    @Test func entriesAreForwardedByPriorityThenInOrder() throws {
        var (machine, tickets) = machine(
            limit: 9,
            [("low", .low), ("a", .normal), ("b", .normal), ("high", .veryHigh), ("raised", .low)]
        )
        machine.priorityChanged(of: try #require(tickets["raised"]), to: .high)
        #expect(handOn(&machine, at: 0).0 == ["high", "raised", "a", "b", "low"])
    }

    @Test func entryThatIsNotReadyDelaysNoOther() {
        var machine = Machine(limit: 1, interval: .seconds(10))
        let waits = machine.entryAdded("waits", priority: .veryHigh)
        machine.entryBecameReady(machine.entryAdded("ready", priority: .low))
        #expect(handOn(&machine, at: 0) == (["ready"], .nothing))
        machine.entryBecameReady(waits)
        machine.entryBecameReady(waits)
        #expect(handOn(&machine, at: 0) == ([], .sleep(.seconds(10))))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 10).0 == ["waits"])
    }

    @Test func sleepEndsWithTheLastThatWaits() throws {
        var (machine, tickets) = machine(limit: 1, [("a", .normal), ("b", .normal)])
        #expect(handOn(&machine, at: 0) == (["a"], .sleep(.seconds(10))))
        let ticket = try #require(tickets["b"])
        #expect(machine.entry(ticket) == "b")
        for _ in 1...2 { machine.entryEnded(ticket) }
        #expect(machine.entry(ticket) == nil)
        #expect(handOn(&machine, at: 1) == ([], .sleep(nil)))
    }

    @Test func entryThatCannotStartNoLongerCounts() throws {
        var (machine, tickets) = machine(
            limit: 1,
            ["refused", "ended", "cancelled", "next"].map { ($0, .normal) }
        )
        for name in ["refused", "ended", "cancelled", "next"] {
            let ticket = try #require(tickets[name])
            #expect(machine.nextAction(at: machine.reading(0)) == .passOn(name, ticket, .normal))
            switch name {
            case "refused": machine.entryRefused(ticket)
            case "ended": machine.entryEnded(ticket)
            default: machine.entryLeft(ticket)
            }
        }
        #expect(machine.nextAction(at: machine.reading(0)) == .nothing)
        machine.entryBecameReady(try #require(tickets["refused"]))
        #expect(handOn(&machine, at: 0).0 == ["refused"])
    }

    /// A thread may read the clock, and use the reading after another thread has used a later one.
    @Test func oldReadingDoesNotCountAsAClockThatGoesBack() throws {
        var (machine, tickets) = machine(limit: 2, ["a", "b", "c", "d"].map { ($0, .normal) })
        for name in ["a", "b"] {
            let ticket = try #require(tickets[name])
            #expect(machine.nextAction(at: machine.reading(0)) == .passOn(name, ticket, .normal))
        }
        let old = machine.reading(0)
        machine.entryStarted(try #require(tickets["b"]), at: machine.reading(5))
        machine.entryStarted(try #require(tickets["a"]), at: old)
        #expect(handOn(&machine, at: 10) == ([], .sleep(.seconds(5))))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 15).0 == ["c", "d"])
    }

    @Test func clockThatGoesBackDelaysByOneIntervalAtMost() {
        var (machine, _) = machine(limit: 1, ["a", "b", "c"].map { ($0, .normal) })
        #expect(handOn(&machine, at: 1_000) == (["a"], .sleep(.seconds(10))))
        #expect(handOn(&machine, at: 5) == ([], .sleep(.seconds(10))))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 15) == (["b"], .sleep(.seconds(10))))
        machine.sleepEnded()
        #expect(handOn(&machine, at: 1_000_000_000).0 == ["c"])
    }

    @Test func longestIntervalIsNoOverflow() {
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        var machine = Machine(limit: 1, interval: longest)
        for entry in ["a", "b"] {
            machine.entryBecameReady(machine.entryAdded(entry, priority: .normal))
        }
        #expect(handOn(&machine, at: 100) == (["a"], .sleep(longest)))
    }

    @Test func intervalOfZeroIsNoLimit() {
        var (machine, _) = machine(limit: 1, seconds: 0, ["a", "b", "c"].map { ($0, .normal) })
        #expect(handOn(&machine, at: 0) == (["a", "b", "c"], .nothing))
    }

    /// Compares random inputs with a model that stores every time and searches all of them.
    @Test(arguments: 0..<rounds(of: 200))
    func randomWalkNeverExceedsTheRate(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let limit = Int.random(in: 1...4, using: &random)
        let interval = Int.random(in: 1...8, using: &random)
        var machine = Machine(limit: limit, interval: .seconds(interval))
        var (now, added, times): (Int, Int, [Int]) = (0, 0, [])
        typealias Waiting = (
            ticket: TaskQueueTicket, number: Int, priority: OperationPriority, isReady: Bool
        )
        var waiting: [Waiting] = []
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let priority = OperationPriority.allCases.randomElement(using: &random) ?? .normal
                let ticket = machine.entryAdded("\(added)", priority: priority)
                waiting.append((ticket, added, priority, false))
                added += 1
            case 2, 3:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                waiting[index].isReady = true
                machine.entryBecameReady(waiting[index].ticket)
            case 4:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                if Bool.random(using: &random) {
                    machine.entryEnded(waiting.remove(at: index).ticket)
                } else {
                    waiting[index].priority = .high
                    machine.priorityChanged(of: waiting[index].ticket, to: .high)
                }
            default:
                now += Int.random(in: 0...interval, using: &random)
            }
            let (entries, _) = handOn(&machine, at: now)
            // The oracle picks entries by priority and number, as many as the interval permits.
            let room = limit - times.count { now - $0 < interval }
            let due = waiting.filter(\.isReady)
                .sorted { ($0.priority.rawValue, $0.number) < ($1.priority.rawValue, $1.number) }
                .prefix(room)
            #expect(entries == due.map { "\($0.number)" }, "seed \(seed)")
            waiting.removeAll { entry in due.contains { $0.number == entry.number } }
            times += due.map { _ in now }
        }
    }
}

extension RateLimitedQueueStateMachine {
    /// A reading of the clock that is used at once.
    fileprivate func reading(_ seconds: Int) -> Reading {
        Reading(number: readingCount, time: .seconds(seconds))
    }
}
