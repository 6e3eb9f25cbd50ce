import JobStore
import Testing

@Suite struct RunChainStateMachineTests {
    private typealias Machine = RunChainStateMachine

    private enum Event: Hashable {
        case start(Int64)
        case end(Int64, RunState)
        case follow(Int64, Machine.Reason)
        case delete(Int64)
    }

    /// A run has one follower at a time, and the follower of a successful run starts a new chain.
    @Test func failedRunIsFollowedByOneRunAtATime() {
        var machine = Machine(journalID: 1, members: [.init(id: 1, state: .failed)])
        #expect(machine.followRequested(1, .repetition) == .queue(journalID: 1, takesKey: false))
        #expect(machine.followRequested(1, .attempt) == .queue(journalID: 1, takesKey: true))
        machine.followed(by: 2)
        #expect(machine.followRequested(1, .repetition) == .refuseFollower(2))
        #expect(machine.followRequested(2, .repetition) == .refuseUnfinished)
        machine.changed(2, to: .cancelled)
        #expect(machine.followRequested(1, .repetition) == .queue(journalID: 1, takesKey: false))
        machine.changed(2, to: .succeeded)
        #expect(machine.followRequested(2, .repetition) == .queue(journalID: nil, takesKey: false))
        #expect(machine.followRequested(9, .repetition) == .refuseUnknown)
    }

    @Test func journalGoesWithTheLastRun() {
        var machine = Machine(
            journalID: 1,
            members: [.init(id: 1, state: .failed), .init(id: 2, state: .running)]
        )
        #expect(machine.deletionRequested(2) == .refuseUnfinished)
        #expect(machine.deletionRequested(1) == .delete(removesJournal: false))
        machine.deleted(1)
        machine.changed(2, to: .failed)
        #expect(machine.deletionRequested(2) == .delete(removesJournal: true))
        #expect(machine.deletionRequested(3) == .refuseUnknown)
    }

    /// Tests all orders of events in a chain of at most four runs.
    @Test func everyOrderOfEventsKeepsOneRunUnfinished() {
        var seen: Set<String> = []
        var (states, transitions) = (0, 0)
        func walk(_ machine: Machine, _ lastID: Int64, _ depth: Int) {
            let name =
                machine.members.map { "\($0.id)\($0.state)" }.joined() + "/\(lastID)/\(depth)"
            guard seen.insert(name).inserted else { return }
            states += 1
            let unfinished = machine.members.filter { !$0.state.isEnd }
            #expect(unfinished.count <= 1, "\(machine.members)")
            #expect(machine.unfinished == unfinished.first?.id)
            guard depth > 0 else { return }
            for event in events(of: machine, lastID) {
                var next = machine
                var lastID = lastID
                transitions += 1
                switch event {
                case .start(let id): next.changed(id, to: .running)
                case .end(let id, let state): next.changed(id, to: state)
                case .follow(let id, let reason):
                    switch machine.followRequested(id, reason) {
                    case .queue(let journalID, let takesKey):
                        #expect(unfinished.isEmpty || journalID == nil)
                        #expect(!takesKey || reason != .repetition)
                        // A new chain has its own state machine.
                        guard journalID != nil else { continue }
                        lastID += 1
                        next.followed(by: lastID)
                    case .refuseUnfinished: #expect(unfinished.map(\.id) == [id])
                    case .refuseFollower(let follower):
                        #expect(unfinished.map(\.id) == [follower] && follower != id)
                    case .refuseUnknown: Issue.record("\(id) is unknown")
                    }
                case .delete(let id):
                    switch machine.deletionRequested(id) {
                    case .delete(let removesJournal):
                        #expect(removesJournal == (machine.members.count == 1))
                        next.deleted(id)
                    case .refuseUnfinished: #expect(unfinished.map(\.id) == [id])
                    case .refuseUnknown: Issue.record("\(id) is unknown")
                    }
                }
                walk(next, lastID, depth - 1)
            }
        }
        walk(Machine(journalID: 1, members: [.init(id: 1, state: .queued)]), 1, 12)
        #expect(states > 1_000)
        #expect(transitions > 10_000)
    }

    private func events(of machine: Machine, _ lastID: Int64) -> [Event] {
        machine.members.flatMap { member -> [Event] in
            let id = member.id
            var events: [Event] = [.delete(id)]
            if lastID < 4 || !member.state.isEnd {
                events += Machine.Reason.allCases.map { .follow(id, $0) }
            }
            switch member.state {
            case .queued: events += [.start(id), .end(id, .cancelled)]
            case .running:
                events += [RunState.succeeded, .failed, .cancelled, .interrupted]
                    .map { .end(id, $0) }
            default: break
            }
            return events
        }
    }
}

@Suite struct RetentionStateMachineTests {
    private static let day = RetentionStateMachine.day

    @Test func endsOfAClockThatIsAheadAreNotBelievedForADayOfService() {
        var machine = RetentionStateMachine(newest: 100 * Self.day)
        machine.hasServed(Self.day / 2)
        let ahead = 465 * Self.day
        machine.sweepBegan(newestEnd: ahead, believedEnd: 100 * Self.day + 7)
        #expect(machine.limit(days: 30, now: ahead) == 70 * Self.day + 7)
        // Further starts with the same clock do not change it.
        for _ in 0..<5 { machine.sweepBegan(newestEnd: ahead, believedEnd: 100 * Self.day + 7) }
        #expect(machine.limit(days: 30, now: ahead) == 70 * Self.day + 7)
        machine.hasServed(Self.day)
        machine.sweepBegan(newestEnd: ahead, believedEnd: 100 * Self.day + 7)
        #expect(machine.limit(days: 30, now: ahead) == 435 * Self.day)
    }

    @Test func endsWithinTheTimeOfServiceAndADayAreBelieved() {
        var machine = RetentionStateMachine(newest: 100 * Self.day)
        machine.hasServed(3_600_000)
        machine.sweepBegan(newestEnd: 101 * Self.day, believedEnd: nil)
        #expect(machine.limit(days: 30, now: 200 * Self.day) == 71 * Self.day)
        #expect(machine.served == 0)
        // If the clock was set back, less is deleted.
        #expect(machine.limit(days: 30, now: 0) == -30 * Self.day)
    }
}
