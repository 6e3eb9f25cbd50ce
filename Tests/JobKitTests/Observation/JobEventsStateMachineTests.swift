import Testing

@testable import JobKit

@Suite struct JobEventsStateMachineTests {
    private typealias Machine = JobEventsStateMachine<String, String>

    /// Reads until nothing is left, as a reader of a listener, the first unless told otherwise.
    private func read(
        _ machine: inout Machine,
        from position: inout Int,
        of listener: Int = 1
    ) -> [String] {
        var heard: [String] = []
        while true {
            switch machine.next(at: &position, of: listener) {
            case .event(let event): heard.append(event)
            case .omitted(let count): heard.append("omitted \(count)")
            case .wait: return heard + ["wait"]
            case .end: return heard + ["end"]
            }
        }
    }

    @Test func readerHearsWhatComesInOrderAndThenTheEnd() {
        var machine = Machine()
        var position = machine.listenerAdded(limit: 9).start
        for event in ["a", "b"] {
            #expect(machine.eventRecorded(event, isLast: false) == Machine.Decision())
        }
        #expect(read(&machine, from: &position) == ["a", "b", "wait"])
        #expect(machine.eventRecorded("c", isLast: true) == Machine.Decision())
        #expect(read(&machine, from: &position) == ["c", "end"])
    }

    @Test func slowReaderIsToldHowManyItHasMissed() {
        var machine = Machine()
        var position = machine.listenerAdded(limit: 2).start
        var released: [String] = []
        for event in ["a", "b", "c", "d", "e"] {
            released += machine.eventRecorded(event, isLast: false).released
        }
        #expect(released == ["a", "b", "c"])
        #expect(read(&machine, from: &position) == ["omitted 3", "d", "e", "wait"])
    }

    @Test func limitOfNoneCountsEvents() {
        var machine = Machine()
        var position = machine.listenerAdded(limit: 0).start
        #expect(machine.eventRecorded("a", isLast: false).released == ["a"])
        #expect(machine.eventRecorded("b", isLast: true).released == ["b"])
        #expect(read(&machine, from: &position) == ["omitted 2", "end"])
    }

    @Test func eachListenerHasItsOwnLimitAndItsOwnStart() {
        var machine = Machine()
        let small = machine.listenerAdded(limit: 1)
        _ = machine.eventRecorded("a", isLast: false)
        let large = machine.listenerAdded(limit: 3)
        #expect(machine.eventRecorded("b", isLast: false).released == [])
        _ = machine.eventRecorded("c", isLast: false)
        var (first, second, third) = (small.start, large.start, small.start)
        #expect(read(&machine, from: &first, of: small.listener) == ["omitted 2", "c", "wait"])
        #expect(read(&machine, from: &second, of: large.listener) == ["b", "c", "wait"])
        // The larger one goes: only what the smaller one may hear is kept.
        #expect(machine.listenerLeft(large.listener).released == ["a", "b"])
        #expect(read(&machine, from: &third, of: small.listener) == ["omitted 2", "c", "wait"])
    }

    @Test func nothingIsKeptForNobody() {
        var machine = Machine()
        #expect(machine.eventRecorded("a", isLast: false).released == ["a"])
        let listener = machine.listenerAdded(limit: 5).listener
        _ = machine.eventRecorded("b", isLast: false)
        #expect(machine.listenerLeft(listener).released == ["b"])
        #expect(machine.eventRecorded("c", isLast: false).released == ["c"])
        let later = machine.listenerAdded(limit: 5)
        var position = later.start
        #expect(read(&machine, from: &position, of: later.listener) == ["wait"])
    }

    @Test func endThatNobodyHeardIsTheEndOfLaterReaders() {
        var machine = Machine()
        #expect(machine.eventRecorded("last", isLast: true).released == ["last"])
        var position = machine.listenerAdded(limit: 5).start
        #expect(read(&machine, from: &position) == ["end"])
        #expect(machine.eventRecorded("later", isLast: false).released == ["later"])
        #expect(read(&machine, from: &position) == ["end"])
    }

    // MARK: Waiting

    private func wait(_ machine: inout Machine, at position: inout Int) -> Int? {
        if case .wait(let wait) = machine.next(at: &position, of: 1) { wait } else { nil }
    }

    @Test func waitersAreResumedByAnEventOnce() throws {
        var machine = Machine()
        var position = machine.listenerAdded(limit: 9).start
        let (one, two) = (wait(&machine, at: &position), wait(&machine, at: &position))
        #expect(machine.waitBegan(try #require(one), "one", beyond: position).resumed == [])
        #expect(machine.waitBegan(try #require(two), "two", beyond: position).resumed == [])
        #expect(Set(machine.eventRecorded("a", isLast: false).resumed) == ["one", "two"])
        #expect(machine.eventRecorded("b", isLast: false).resumed == [])
    }

    @Test func waiterThatComesBehindAnEventIsResumedAtOnce() throws {
        var machine = Machine()
        var position = machine.listenerAdded(limit: 9).start
        let number = try #require(wait(&machine, at: &position))
        _ = machine.eventRecorded("a", isLast: false)
        #expect(machine.waitBegan(number, "one", beyond: position).resumed == ["one"])
        #expect(machine.jobEnded().resumed == [])
    }

    @Test func endResumesWaitersThatAreThereAndThoseThatCome() throws {
        var machine = Machine()
        var position = machine.listenerAdded(limit: 9).start
        let (one, two) = (wait(&machine, at: &position), wait(&machine, at: &position))
        _ = machine.waitBegan(try #require(one), "one", beyond: position)
        #expect(machine.jobEnded().resumed == ["one"])
        #expect(machine.jobEnded().resumed == [])
        #expect(machine.waitBegan(try #require(two), "two", beyond: position).resumed == ["two"])
    }

    @Test func cancelResumesItsWaiterAlone() throws {
        var machine = Machine()
        var position = machine.listenerAdded(limit: 9).start
        let (one, two) = (wait(&machine, at: &position), wait(&machine, at: &position))
        #expect(machine.waitCancelled(try #require(one)).resumed == [])
        _ = machine.waitBegan(try #require(one), "one", beyond: position)
        _ = machine.waitBegan(try #require(two), "two", beyond: position)
        #expect(machine.waitCancelled(try #require(one)).resumed == ["one"])
        #expect(machine.waitCancelled(try #require(one)).resumed == [])
        #expect(machine.eventRecorded("a", isLast: false).resumed == ["two"])
    }

    /// Against a list of all events: what a reader hears and what it is told to have missed are all
    /// of them, in order, and no more is kept than the largest limit.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func readersAccountForEveryEvent(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var all: [String] = []
        var listeners: [(number: Int, limit: Int, start: Int)] = []
        var readers: [(listener: Int, limit: Int, position: Int, accounted: Int)] = []
        var kept = 0
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let limit = Int.random(in: 0...5, using: &random)
                let added = machine.listenerAdded(limit: limit)
                listeners.append((added.listener, limit, added.start))
            case 1 where !listeners.isEmpty:
                let index = Int.random(in: 0..<listeners.count, using: &random)
                let left = listeners.remove(at: index)
                readers.removeAll { $0.listener == left.number }
                kept -= machine.listenerLeft(left.number).released.count
            case 2 where !listeners.isEmpty:
                let index = Int.random(in: 0..<listeners.count, using: &random)
                let listener = listeners[index]
                readers.append((listener.number, listener.limit, listener.start, listener.start))
            case 3 where !readers.isEmpty:
                let index = Int.random(in: 0..<readers.count, using: &random)
                let (listener, limit, _, accounted) = readers[index]
                switch machine.next(at: &readers[index].position, of: listener) {
                case .event(let event):
                    #expect(event == all[accounted])
                    readers[index].accounted += 1
                case .omitted(let count):
                    #expect(count > 0)
                    readers[index].accounted += count
                    #expect(readers[index].accounted >= all.count - limit)
                case .wait: #expect(accounted == all.count)
                case .end: Issue.record("ended")
                }
            default:
                let event = "\(all.count)"
                if !listeners.isEmpty {
                    all.append(event)
                    kept += 1
                }
                let released = machine.eventRecorded(event, isLast: false).released
                if !listeners.isEmpty { kept -= released.count }
            }
            #expect(kept <= listeners.map(\.limit).max() ?? 0)
        }
    }
}
