import JobKit
import JobKitTesting
import XCTest

// R2: observers that reach jobs which already have tasks.
final class EventsOfRunningTreesTests: XCTestCase {
    /// Returns a job that tracks another one, and has entered `main()`.
    private func started(_ name: String, tracking task: Operation) -> ScriptedJob {
        let job = ScriptedJob(name) { $0.track(task, cancellation: .leaveRunning) }
        job.start()
        return job
    }

    func testJobIsTrackedBeforeTheTasksBelowIt() async {
        let leaf = HeldOperation("leaf")
        let inner = started("inner", tracking: leaf)
        let middle = started("middle", tracking: inner)
        let outer = ScriptedJob("outer") { $0.track(middle, cancellation: .leaveRunning) }
        let (books, collector) = books(of: outer)
        outer.start()
        leaf.start()
        XCTAssertEqual(
            collector.log.events,
            ["outer started", "middle tracked", "inner tracked", "leaf tracked", "leaf started"]
        )
        outer.cancel()
        await bounded { await outer.waitForFinish() }
        XCTAssertEqual(collector.log.events.suffix(2), ["middle dropped", "outer finished"])
        XCTAssertEqual(books.complaints, [])
        leaf.finish()
        for job in [inner, middle] { await bounded { await job.waitForFinish() } }
    }

    func testObserverThatIsAddedBeforeTheStartKnowsTheTasksOfNestedJobs() async {
        let leaf = HeldOperation("leaf")
        let inner = started("inner", tracking: leaf)
        let outer = ScriptedJob("outer")
        outer.track(inner)
        let (books, collector) = books(of: outer)
        leaf.start()
        outer.start()
        leaf.finish()
        await bounded { await outer.waitForFinish() }
        XCTAssertEqual(collector.kinds(of: "leaf"), [.tracked, .started, .finished, .delivered])
        XCTAssertEqual(books.complaints, [])
    }

    func testObserverThatIsAddedWhileAJobIsDroppedReceivesNothingOfIt() async {
        let leaf = HeldOperation("leaf")
        let inner = started("inner", tracking: leaf)
        let outer = ScriptedJob("outer") { $0.track(inner, cancellation: .leaveRunning) }
        let late = EventCollector()
        outer.addObserver(Reaction(to: .dropped, of: "inner") { $0.addObserver(late) })
        outer.start()
        outer.cancel()
        await bounded { await outer.waitForFinish() }
        leaf.start()
        leaf.finish()
        await bounded { await inner.waitForFinish() }
        XCTAssertEqual(late.kinds(of: "leaf"), [])
        XCTAssertEqual(late.log.events.last, "outer finished")
    }

    func testObserverThatIsRemovedWhileItIsPassedOnReceivesNothingBelow() async {
        let leaf = HeldOperation("leaf")
        let inner = started("inner", tracking: leaf)
        let middle = started("middle", tracking: inner)
        let outer = ScriptedJob("outer") { $0.track(middle) }
        let removed = EventCollector()
        let removal = Reaction(to: .tracked, of: "inner") { _ in outer.removeObserver(removed) }
        outer.addObserver(removal)
        outer.addObserver(removed)
        outer.start()
        leaf.start()
        leaf.finish()
        await bounded { await outer.waitForFinish() }
        XCTAssertEqual(removed.kinds(of: "middle"), [.tracked])
        XCTAssertEqual(removed.kinds(of: "leaf"), [])
    }

    func testManyThreadsAddObserversWhileAJobIsLeft() async {
        for _ in 0..<rounds(of: 200) {
            let leaf = HeldOperation("leaf")
            let inner = started("inner", tracking: leaf)
            let outer = ScriptedJob("outer") { $0.track(inner, cancellation: .leaveRunning) }
            outer.start()
            let late = (0..<20).map { _ in EventCollector() }
            await runOnThreads(21) { number in
                if number == 20 { outer.cancel() } else { outer.addObserver(late[number]) }
            }
            await bounded { await outer.waitForFinish() }
            leaf.start()
            leaf.finish()
            await bounded { await inner.waitForFinish() }
            for observer in late { XCTAssertEqual(observer.kinds(of: "leaf"), []) }
        }
    }
}

/// Calls a closure at one event.
private final class Reaction: JobObserver {
    private let kind: JobEvent.Kind
    private let name: String
    private let body: @Sendable (JobController) -> Void

    init(
        to kind: JobEvent.Kind,
        of name: String,
        _ body: @escaping @Sendable (JobController) -> Void
    ) {
        (self.kind, self.name, self.body) = (kind, name, body)
    }

    func job(_ job: JobController, didRecord event: JobEvent) {
        if event.kind == kind, event.name == name { body(job) }
    }
}
