import Foundation
import JobKit
import JobKitTesting
import XCTest

// R2
final class JobEventsTests: XCTestCase {
    func testEventsAreThoseOfAnObserverAndEndWithTheJob() async throws {
        let collector = EventCollector()
        let job = ScriptedJob { job in
            job.trackAndQueue(ScriptedJob("nested") { $0.trackAndQueue(InstantOperation("leaf")) })
        }
        let events = job.events()
        job.addObserver(collector)
        try await job.run()
        let heard = await all(events)
        XCTAssertEqual(heard, collector.log.events)
        XCTAssertEqual(heard.first, "job started")
        XCTAssertEqual(heard.last, "job finished")
    }

    func testEventsCanBeReadWhileTheJobRuns() async throws {
        let held = HeldOperation("held")
        let job = ScriptedJob { $0.trackAndQueue(held) }
        var iterator = job.events().makeAsyncIterator()
        job.startJob()
        var heard: [String] = []
        while let element = await iterator.next() {
            heard.append(words(element))
            if heard.last == "held started" { held.finish() }
        }
        XCTAssertEqual(
            heard,
            [
                "job started", "held tracked", "held started", "held finished", "held delivered",
                "job finished",
            ]
        )
        let afterwards = await iterator.next()
        XCTAssertNil(afterwards)
    }

    func testSlowReaderIsToldWhatIsLeftOut() async throws {
        let job = ScriptedJob { job in
            for number in 0..<100 { job.trackAndQueue(InstantOperation("\(number)")) }
        }
        let (few, none) = (job.events(limit: 3), job.events(limit: 0))
        try await job.run()
        let (heard, counted) = (await all(few), await all(none))
        XCTAssertEqual(heard.count, 4)
        XCTAssertEqual(heard.first, "omitted 399")
        XCTAssertEqual(heard.last, "job finished")
        XCTAssertEqual(counted, ["omitted 402"])
    }

    func testIteratorsComeAndGo() async throws {
        let held = HeldOperation("held")
        let job = ScriptedJob { $0.trackAndQueue(held) }
        let early = job.events()
        job.startJob()
        await wait(for: held.began)
        do {
            var first = early.makeAsyncIterator()
            let element = await first.next()
            XCTAssertEqual(element.map(words), "job started")
        }
        let late = job.events()
        held.finish()
        await bounded { await job.waitForFinish() }
        let (heardEarly, heardLate) = (await all(early), await all(late))
        XCTAssertEqual(heardEarly.first, "job started")
        XCTAssertEqual(heardLate, ["held finished", "held delivered", "job finished"])
        let afterTheEnd = await all(job.events())
        XCTAssertEqual(afterTheEnd, [])
    }

    func testCancelOfTheListeningTaskEndsIt() async {
        let job = ScriptedJob { $0.trackAndQueue(HeldOperation("held")) }
        let events = job.events()
        let (listens, ended) = (Gate(), expectation(description: "ended"))
        let listener = Task {
            for await element in events where words(element) == "held started" { listens.open() }
            ended.fulfill()
        }
        job.startJob()
        await wait(for: listens)
        listener.cancel()
        await fulfillment(of: [ended], timeout: 300)
        XCTAssertFalse(job.isFinished)
        // Others go on, and so do those of a task that is cancelled before it reads.
        let go = Gate()
        let late = Task {
            await go.waitUntilOpen()
            return await all(events)
        }
        late.cancel()
        go.open()
        let heard = await late.value
        XCTAssertEqual(heard, [])
        job.cancel()
        let rest = await all(events)
        XCTAssertEqual(rest.last, "job finished")
    }

    func testJobThatIsNeverStartedEndsItsEventsWhenItIsReleased() async {
        let ended = expectation(description: "ended")
        var job: JobController? = JobController()
        let events = job?.events()
        Task {
            if let events { for await _ in events {} }
            ended.fulfill()
        }
        job = nil
        await fulfillment(of: [ended], timeout: 300)
    }

    func testJobThatIsCancelledBeforeItsStartEndsItsEvents() async {
        let job = ScriptedJob()
        let before = job.events()
        job.cancel()
        let (heard, later) = (await all(before), await all(job.events()))
        XCTAssertEqual(heard, [])
        XCTAssertEqual(later, [])
    }

    func testEventsRetainNeitherTheJobNorWhatNobodyReads() async throws {
        final class Kept: Error, Sendable {
            let released: XCTestExpectation

            init(_ released: XCTestExpectation) { self.released = released }

            deinit { released.fulfill() }
        }
        let released = expectation(description: "released")
        let held = HeldOperation("held")
        let failed = Gate()
        let job = ScriptedJob { job in
            let task = ConcurrentOperation()
            task.finish(with: Kept(released))
            job.trackAndQueue(task, failure: .carryOn) { _ in failed.open() }
            job.trackAndQueue(held)
        }
        var events: JobEvents? = job.events()
        XCTAssertNotNil(events)
        job.startJob()
        await wait(for: failed)
        events = nil
        await fulfillment(of: [released], timeout: 300)
        XCTAssertFalse(job.isFinished)
        held.finish()
        await bounded { await job.waitForFinish() }
    }

    /// Trees of jobs that are disturbed from another thread, and readers that come and go: each
    /// reader accounts for every event that an observer counts.
    func testReadersAccountForEveryEventOfDisturbedTrees() async {
        await forEachSeed(1...200) { random in
            let tree = ObservedTree(&random)
            let limits = (0..<3).map { _ in Int.random(in: 0...40, using: &random) }
            let cancelled = Int.random(in: 0..<limits.count, using: &random)
            let collector = EventCounter()
            tree.root.addObserver(collector)
            let events = limits.map { tree.root.events(limit: $0) }
            let readers = events.enumerated()
                .map { index, events in
                    Task {
                        var count = 0
                        for await element in events {
                            if case .omitted(let omitted) = element { count += omitted }
                            if case .event = element { count += 1 }
                            if index == cancelled { await Task.yield() }
                        }
                        return count
                    }
                }
            // Started before anything can cancel it, which would end the events.
            tree.root.startJob(on: InlineQueue())
            let disturber = Thread { tree.disturb() }
            disturber.start()
            readers[cancelled].cancel()
            await bounded { await tree.root.waitForFinish() }
            var counts: Set<Int> = []
            for (index, reader) in readers.enumerated() {
                let count = await reader.value
                if index != cancelled { counts.insert(count) }
            }
            for events in events {
                var count = 0
                for await element in events {
                    if case .omitted(let omitted) = element { count += omitted } else { count += 1 }
                }
                counts.insert(count)
            }
            XCTAssertEqual(counts.count, 1, "\(counts)")
            for count in counts {
                XCTAssertGreaterThanOrEqual(count, collector.count - collector.lateCount)
                XCTAssertLessThanOrEqual(count, collector.count)
            }
            await tree.finish()
        }
    }
}

/// Counts events, on whatever threads.
private final class EventCounter: JobObserver {
    private let tally = Tally()
    private let late = Tally()

    var count: Int { tally.count }
    /// How many may have come when the root had finished: a nested job that the root has left still
    /// delivers.
    var lateCount: Int { late.count }

    func job(_ job: JobController, didRecord event: JobEvent) {
        if event.kind == .delivered, event.parentID != event.rootID { late.add() }
        tally.add()
    }
}

/// What an element says, in words.
private func words(_ element: JobEvents.Element) -> String {
    switch element {
    case .event(let event): "\(event.name) \(event.kind)"
    case .omitted(let count): "omitted \(count)"
    }
}

private func all(_ events: JobEvents) async -> [String] {
    var heard: [String] = []
    for await element in events { heard.append(words(element)) }
    return heard
}
