import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

/// Counts the calls of a workflow, and reads the workflow's state when it is released.
nonisolated private final class AskingDelegate: TaskWorkflowDelegate, Sendable {
    let told: Tally
    private let released: ReleaseToken

    init(_ told: Tally, _ released: ReleaseToken) {
        self.told = told
        self.released = released
    }

    func workflowDidFinish(_ workflow: TaskWorkflow) { told.add() }
}

extension Duel {
    static let ofLaunches = [
        Duel("an item's followers against changes of its need") { dice, referee in
            let decisions = LaunchDecisions(priority: ["first", "second"])
            let shown = Gauge(limit: 1)
            for item in ["first", "second"] {
                decisions.whenPresented(item) { shown.enter() }
                decisions.whenWithdrawn(item) { shown.leave() }
            }
            decisions.open()
            let needs = (0..<dice.number(1...20))
                .map { _ in [LaunchNeed.needed, .notNeeded, .unknown][dice.number(0...2)] }
            let streams = Guarded<[AsyncStream<LaunchNeed>]>([])
            await dice.race(
                { for need in needs { decisions.set(need, for: "first") } },
                { for need in needs { decisions.set(need, for: "second") } },
                {
                    for _ in 0..<5 {
                        let stream = decisions.updates(for: "first")
                        streams.withLock { $0.append(stream) }
                        _ = decisions.updates(for: "first")
                        _ = (decisions.state(of: "second"), decisions.need(for: "first"))
                    }
                }
            )
            decisions.set(.needed, for: "first")
            referee.expect(decisions.state(of: "first") == .executing, "D1: not presented")
            referee.expect(decisions.state(of: "second") != .executing, "D1: two are presented")
            referee.expect(!shown.wasExceeded, "D1: presented before the other was withdrawn")
            decisions.set(.unknown, for: "first")
            for stream in streams.withLock({ $0 }) {
                var before = LaunchNeed.needed
                for await need in stream {
                    if before == .needed, need == .unknown { break }
                    before = need
                }
            }
        },
        Duel("tasks, gates and questions of a workflow against its start") { dice, referee in
            let workflow = TaskWorkflow(name: "duel")
            let ran = Tally()
            let (count, isCancelled) = (dice.number(1...12), dice.one(in: 3))
            let groups = (0..<count).map { _ in dice.one(in: 2) }
            let release = Gate()
            // Keeps the workflow unfinished.
            workflow.addTask(
                AsyncClosureTask(name: "last") { _ in
                    await release.waitUntilOpen()
                    ran.add()
                }
            )
            await dice.race(
                { workflow.start(context: ["key": 1]) },
                {
                    for (number, isGroup) in groups.enumerated() {
                        let task = ClosureTask(name: "\(number)", queue: .concurrentQueue) { _ in
                            ran.add()
                        }
                        if number == 3 { workflow.addGate("middle") }
                        if isGroup {
                            workflow.addBlockingTasks([task])
                        } else {
                            workflow.addTask(task)
                        }
                    }
                    workflow.openGate("middle")
                    release.open()
                    if isCancelled { workflow.cancel() }
                },
                {
                    for _ in 0..<5 {
                        _ = (workflow.generateTimeline(), workflow.explainStall())
                        _ = workflow.state
                    }
                }
            )
            await workflow.waitForFinish()
            await referee.expectSoon("W3: not finished") { workflow.state == .finished }
            let isComplete = isCancelled ? ran.count <= count + 1 : ran.count == count + 1
            referee.expect(isComplete, "W2: \(ran.count) of \(count + 1) tasks have run")
        },
        Duel("workflows' delegates released against their finishes") { dice, referee in
            let workflows = (0..<20).map { _ in TaskWorkflow(name: "duel") }
            let (told, barrier) = (Tally(), TurnBarrier(threads: 2))
            let kept = Guarded<[AskingDelegate]>([])
            for workflow in workflows.reversed() {
                let delegate = AskingDelegate(told, ReleaseToken { _ = workflow.delegate })
                workflow.delegate = delegate
                kept.withLock { $0.append(delegate) }
            }
            let delays = workflows.map { _ in Delay(spins: dice.number(0...600)) }
            await dice.race(
                {
                    for workflow in workflows {
                        barrier.wait()
                        workflow.start()
                    }
                },
                {
                    for delay in delays {
                        barrier.wait()
                        delay.pass()
                        let released = kept.withLock { $0.popLast() }
                        withExtendedLifetime(released) {}
                    }
                }
            )
            for workflow in workflows { await workflow.waitForFinish() }
            referee.expect(told.count <= workflows.count, "W3: told \(told.count) times")
        },
        Duel("reports of start-up tasks against adds and removals") { dice, referee in
            let manager = AppStartTaskManager()
            let (gauge, log) = (Gauge(limit: 1), EventLog())
            let count = dice.number(1...6)
            let makeTask: @Sendable (Int) -> SampleStartupTask = { number in
                SampleStartupTask("\(number)") { task, delegate in
                    gauge.enter()
                    nonisolated(unsafe) let sent = task
                    DispatchQueue.global()
                        .async {
                            log.record("\(number)")
                            gauge.leave()
                            delegate.startupTaskDidComplete(sent)
                            delegate.startupTaskDidComplete(sent)
                        }
                }
            }
            await dice.race(
                { for number in 0..<count { manager.addStartupTask(makeTask(number)) } },
                { for _ in 0..<5 { manager.startAllTasks() } },
                {
                    let task = makeTask(-1)
                    manager.addStartupTask(task)
                    manager.removeStartupTask(task)
                    for _ in 0..<5 { manager.startAllTasks() }
                }
            )
            manager.addStartupTask(
                SampleStartupTask("end") { task, delegate in
                    log.record("end")
                    delegate.startupTaskDidComplete(task)
                }
            )
            manager.startAllTasks()
            await log.waitForEvent("end")
            let order = log.events.filter { $0 != "-1" }
            referee.expect(
                order == (0..<count).map { "\($0)" } + ["end"],
                "A1: ran in the order \(order)"
            )
            referee.expect(!gauge.wasExceeded, "A1: two tasks ran at once")
        },
        Duel("sleepers of a manual clock against its advance and their cancel") { dice, referee in
            let clock = ManualClock()
            var seconds = (0..<dice.number(1...6)).map { _ in dice.number(1...4) }
            // Sometimes only the cancellation ends it.
            if dice.one(in: 2) { seconds[0] = 1_000 }
            let sleepers = seconds.map { seconds in
                Task {
                    let deadline = ManualClock.Instant(elapsed: .seconds(seconds))
                    try await clock.sleep(until: deadline)
                    referee.expect(clock.now >= deadline, "woken too early")
                }
            }
            await dice.race(
                { for _ in 0..<3 { clock.advance(by: .seconds(1)) } },
                { sleepers[0].cancel() },
                { for _ in 0..<5 { _ = (clock.now, clock.nextDeadline) } }
            )
            clock.advance(by: .seconds(1))
            for (index, sleeper) in sleepers.enumerated() {
                let result = await sleeper.result
                guard case .failure = result else { continue }
                referee.expect(index == 0, "one ended that nobody cancelled")
            }
        },
        Duel("gates, logs and held queues against those who wait") { dice, referee in
            let (gate, log, queue) = (Gate(), EventLog(), StepQueue())
            let (ran, count, seed) = (Tally(), dice.number(1...10), dice.next())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask { await gate.waitUntilOpen() }
                    group.addTask { await log.waitForEvent("event") }
                }
                await dice.race(
                    {
                        for _ in 0..<count { queue.addOperation(BlockOperation { ran.add() }) }
                        log.record("event")
                    },
                    {
                        gate.open()
                        queue.runAll(seed: seed)
                    },
                    {
                        while queue.runNext() != nil {}
                        gate.wait()
                    }
                )
            }
            let held = queue.held.count
            referee.expect(ran.count + held == count, "\(ran.count) + \(held) of \(count)")
        },
    ]
}
