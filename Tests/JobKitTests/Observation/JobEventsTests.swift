import Foundation
import JobKitTesting
import Testing
import XCTest

@testable import JobKit

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
        let read = await all(events)
        XCTAssertEqual(read.map(words), collector.log.events)
        XCTAssertEqual(read.first.map(words), "job started")
        XCTAssertEqual(read.last.map(words), "job finished")
        XCTAssertEqual(read.map(\.index), read.indices.map { $0 })
    }

    func testEventsCanBeReadWhileTheJobRuns() async throws {
        let held = HeldOperation("held")
        let job = ScriptedJob { $0.trackAndQueue(held) }
        var iterator = job.events().makeAsyncIterator()
        job.startJob()
        var read: [String] = []
        while let event = await iterator.next() {
            read.append(words(event))
            if read.last == "held started" { held.finish() }
        }
        XCTAssertEqual(
            read,
            [
                "job started", "held tracked", "held started", "held finished", "held delivered",
                "job finished",
            ]
        )
        let afterwards = await iterator.next()
        XCTAssertNil(afterwards)
    }

    func testGapInTheIndexShowsTheEventsThatASlowReaderMissed() async throws {
        let job = ScriptedJob { job in
            for number in 0..<100 { job.trackAndQueue(InstantOperation("\(number)")) }
        }
        let (few, one) = (job.events(bufferingNewest: 3), job.events(bufferingNewest: 1))
        try await job.run()
        let (read, last) = (await all(few), await all(one))
        XCTAssertEqual(read.map(\.index), [399, 400, 401])
        XCTAssertEqual(last.map(\.index), [401])
        XCTAssertEqual(last.map(words), ["job finished"])
    }

    func testIndexCountsFromZeroInEachStreamAndIsNilForAnObserver() async throws {
        final class Indices: JobObserver {
            let log = EventLog()
            func job(_ job: JobController, didRecord event: JobEvent) {
                log.record("\(event.index.map(String.init) ?? "nil")")
            }
        }
        let held = HeldOperation("held")
        let job = ScriptedJob { $0.trackAndQueue(held) }
        let indices = Indices()
        job.addObserver(indices)
        let early = job.events()
        job.startJob()
        await wait(for: held.began)
        let late = job.events()
        held.finish()
        await bounded { await job.waitForFinish() }
        let (first, second) = (await all(early), await all(late))
        XCTAssertEqual(first.map(\.index), [0, 1, 2, 3, 4, 5])
        XCTAssertEqual(second.map(\.index), [0, 1, 2])
        XCTAssertEqual(second.map(words), ["held finished", "held delivered", "job finished"])
        XCTAssertEqual(Set(indices.log.events), ["nil"])
        let afterTheEnd = await all(job.events())
        XCTAssertEqual(afterTheEnd.count, 0)
    }

    func testCancellationOfTheReadingTaskEndsItsStreamAlone() async {
        let job = ScriptedJob { $0.trackAndQueue(HeldOperation("held")) }
        let (events, others) = (job.events(), job.events())
        let (listens, ended) = (Gate(), expectation(description: "ended"))
        let listener = Task {
            for await event in events where words(event) == "held started" { listens.open() }
            ended.fulfill()
        }
        job.startJob()
        await wait(for: listens)
        listener.cancel()
        await fulfillment(of: [ended], timeout: 300)
        XCTAssertFalse(job.isFinished)
        for task in job.trackedTasks { (task as? HeldOperation)?.finish() }
        let rest = await all(others)
        XCTAssertEqual(rest.last.map(words), "job finished")
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
        let (read, later) = (await all(before), await all(job.events()))
        XCTAssertEqual(read.count, 0)
        XCTAssertEqual(later.count, 0)
    }

    func testJobThatIsCancelledInItsQueueRecordsItsFinish() async {
        let queue = StepQueue()
        let job = ScriptedJob()
        let events = job.events()
        job.startJob(on: queue)
        job.cancel()
        queue.runAll(seed: 0)
        let read = await all(events)
        XCTAssertEqual(read.map(words), ["job started", "job finished"])
    }

    func testEventsRetainNeitherTheJobNorUnreadEvents() async throws {
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
        var events: AsyncStream<JobEvent>? = job.events()
        XCTAssertNotNil(events)
        job.startJob()
        await wait(for: failed)
        events = nil
        await fulfillment(of: [released], timeout: 300)
        await eventually { job.shell.ask { $0.observers.isEmpty } }
        XCTAssertFalse(job.isFinished)
        held.finish()
        await bounded { await job.waitForFinish() }
    }

    /// Trees of jobs that another thread disturbs.
    ///
    /// The index of each reader's last event accounts for every event, and no index occurs twice.
    func testIndicesCountEveryEventOfDisturbedTrees() async {
        await forEachSeed(1...200) { random in
            let tree = ObservedTree(&random)
            let limits = (0..<3).map { _ in Int.random(in: 1...40, using: &random) }
            let readers = limits.map { limit in
                let events = tree.root.events(bufferingNewest: limit)
                return Task {
                    var indices: [Int] = []
                    for await event in events { indices.append(event.index ?? -1) }
                    return indices
                }
            }
            // Started before anything can cancel it, because a cancellation would end the events.
            tree.root.startJob(on: InlineQueue())
            let disturber = Thread { tree.disturb() }
            disturber.start()
            await bounded { await tree.root.waitForFinish() }
            var lasts: Set<Int> = []
            for reader in readers {
                let indices = await reader.value
                XCTAssertEqual(indices, Set(indices).sorted())
                lasts.insert(indices.last ?? -1)
            }
            XCTAssertEqual(lasts.count, 1, "\(lasts)")
            await tree.finish()
        }
    }
}

@Suite struct JobEventsMisuseTests {
    @Test func bufferOfNoEventTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = JobController().events(bufferingNewest: 0)
        }
    }
}

/// Describes the event.
private func words(_ event: JobEvent) -> String { "\(event.name) \(event.kind)" }

private func all(_ events: AsyncStream<JobEvent>) async -> [JobEvent] {
    var read: [JobEvent] = []
    for await event in events { read.append(event) }
    return read
}
