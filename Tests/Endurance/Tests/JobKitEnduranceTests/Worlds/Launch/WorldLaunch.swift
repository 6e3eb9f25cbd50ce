import Foundation
import JobKitTesting
import Synchronization

@testable import JobKit

/// The launch of a world: decisions, two workflows and a chain of start-up tasks.
///
/// Chaos threads drive it.
final class WorldLaunch: Sendable {
    static let items = [0, 1, 2, 3]
    static let independent: Set<Int> = [4, 5]

    let decisions: LaunchDecisions<Int>
    /// Has exactly the planned items, so that an oracle can decide which tasks may start.
    let workflow = TaskWorkflow(name: "Launch")
    /// Stays unfinished, so that chaos can add items to it.
    let open = TaskWorkflow(name: "Launch")
    let manager = AppStartTaskManager()
    private let plan: WorldLaunchPlan
    private let oracle: WorkflowOracle
    private let world: World
    private let ran = SerialNotes<LaunchNote>()
    private let progress = Guarded((finished: Set<Int>(), openGates: 0))
    private let release = Gate()
    private let delegates = [FinishNotes(), FinishNotes()]
    private let startupTurns = Gauge(limit: 1)
    private let restarter: StartupRestarter
    private let started = Guarded([Int]())

    init(_ plan: WorldLaunchPlan, in world: World) {
        self.plan = plan
        self.world = world
        oracle = WorkflowOracle(plan.items.map(\.item))
        decisions = LaunchDecisions(
            priority: Self.items,
            independent: Self.independent,
            waitsForUnknown: plan.waitsForUnknown
        )
        restarter = StartupRestarter(manager)
    }

    // MARK: Setup

    func begin() {
        for item in Self.items {
            decisions.whenPresented(item) { [ran] in ran.add(.presented(item)) }
            decisions.whenWithdrawn(item) { [ran] in ran.add(.withdrawn(item)) }
        }
        for (workflow, delegate) in zip([workflow, open], delegates) {
            workflow.delegate = delegate
        }
        buildWorkflow()
        open.addTask(
            AsyncClosureTask(name: "hold") { [release] _ in await release.waitUntilOpen() }
        )
        manager.delegate = restarter
        for (number, kind) in plan.startupTasks.enumerated() {
            manager.addStartupTask(startupTask(number, kind))
        }
        workflow.start(context: ["key": 1])
        open.start()
        manager.startAllTasks()
    }

    private func buildWorkflow() {
        var (number, gates) = (0, 0)
        func next(_ isMain: Bool) -> LaunchTask {
            defer { number += 1 }
            return launchTask(number, isMain: isMain)
        }
        for item in plan.items {
            switch item.item {
            case .main: workflow.addTask(next(true))
            case .concurrent: workflow.addTask(next(false))
            case .group(let members): workflow.addBlockingTasks(members.map(next))
            case .gate:
                workflow.addGate("\(gates)")
                gates += 1
            }
        }
    }

    /// W1, W2: returns a task that must start only when the oracle permits it.
    private func launchTask(_ number: Int, isMain: Bool) -> LaunchTask {
        ClosureTask(name: "\(number)", queue: isMain ? .mainQueue : .concurrentQueue) {
            [self] context in
            if isMain, !Thread.isMainThread { world.complain("W1: \(number) is not on main") }
            if context["key"] as? Int != 1 { world.complain("W3: \(number) has no context") }
            let (finished, gates) = progress.withLock { ($0.finished, $0.openGates) }
            if !oracle.startable(finished: finished, openGates: gates).contains(number) {
                world.complain("W2: \(number) starts after \(finished), \(gates) of \(oracle)")
            }
            // The oracle counts it as finished before it is, because its successors start only
            // afterwards.
            progress.withLock { _ = $0.finished.insert(number) }
        }
    }

    func startupTask(_ number: Int, _ kind: StartupKind) -> WorldStartupTask {
        WorldStartupTask(number, kind, startupTurns) { [weak self] number in
            self?.started.withLock { $0.append(number) }
        }
    }

    // MARK: Calls by chaos

    /// Opens the planned workflow's next gate.
    func openNextGate() {
        // It is counted first, because a task may start while the gate is being opened.
        let number = progress.withLock { progress in
            defer { progress.openGates += 1 }
            return progress.openGates
        }
        workflow.openGate("\(number)")
    }

    // MARK: The end

    /// Lets the whole launch end after chaos has ended.
    func end() async {
        while progress.withLock({ $0.openGates }) < oracle.gateCount { openNextGate() }
        open.openGate("chaos")
        release.open()
        for (workflow, delegate) in zip([workflow, open], delegates) {
            await workflow.waitForFinish()
            await delegate.told.waitUntilOpen()
            if workflow.state != .finished { world.complain("W3: told before its finish") }
            if delegate.count != 1 || delegate.wasElsewhere {
                world.complain("W3: told \(delegate.count) times")
            }
            let text = workflow.generateTimeline()
            if !text.hasPrefix("[Launch start]") || !text.contains("[Launch finish]") {
                world.complain("W4: \(text)")
            }
        }
        if !workflow.isCancelled {
            let count = progress.withLock { $0.finished.count }
            if count != oracle.tasks.count {
                world.complain("W2: \(count) of \(oracle.tasks.count) tasks have run")
            }
        }
        let last = Gate()
        manager.addStartupTask(
            WorldStartupTask(-1, .inside, startupTurns) { _ in last.open() }
        )
        manager.startAllTasks()
        await last.waitUntilOpen()
        checkStartup()
        checkDecisions()
    }

    // A1
    private func checkStartup() {
        if startupTurns.wasExceeded { world.complain("A1: two start-up tasks run at once") }
        let planned = started.withLock { $0 }.filter { plan.startupTasks.indices.contains($0) }
        if planned != planned.sorted() || Set(planned).count != planned.count {
            world.complain("A1: ran in the order \(planned)")
        }
    }

    /// D1, D2, after the last change.
    private func checkDecisions() {
        decisions.open()
        if ran.haveOverlapped { world.complain("D2: two closures run at once") }
        let states = Self.items.map { decisions.state(of: $0) }
        let executing = Self.items.filter { states[$0] == .executing }
        if executing.count > 1 { world.complain("D1: \(executing) execute") }
        if executing.isEmpty, !plan.waitsForUnknown, states.contains(.suspended) {
            world.complain("D1: none of \(states) executes")
        }
        for item in Self.independent where decisions.state(of: item) == .suspended {
            world.complain("D1: \(item) is not presented")
        }
        let events = ran.notes
        for (event, next) in zip(events, events.dropFirst()) {
            if case .withdrawn(let item) = next, event != .presented(item) {
                world.complain("D1: \(next) after \(event)")
            }
        }
        if let item = executing.first, events.last != .presented(item) {
            world.complain("D2: \(item) executes, and \(String(describing: events.last)) was last")
        }
    }
}

/// A closure of the user that ran.
private enum LaunchNote: Equatable {
    case presented(Int)
    case withdrawn(Int)
}

/// Records serial closures without a lock, so that the thread sanitizer reports overlaps.
private final class SerialNotes<Note>: Sendable {
    private let isInside = Atomic(false)
    private let overlaps = Atomic(false)
    nonisolated(unsafe) private(set) var notes: [Note] = []

    var haveOverlapped: Bool { overlaps.load(ordering: .relaxed) }

    func add(_ note: Note) {
        if isInside.exchange(true, ordering: .relaxed) { overlaps.store(true, ordering: .relaxed) }
        notes.append(note)
        isInside.store(false, ordering: .relaxed)
    }
}

/// Records when a workflow finishes.
nonisolated private final class FinishNotes: TaskWorkflowDelegate, Sendable {
    let told = Gate()
    private let tellings = Atomic(0)
    private let elsewhere = Atomic(false)

    var count: Int { tellings.load(ordering: .acquiring) }
    var wasElsewhere: Bool { elsewhere.load(ordering: .acquiring) }

    func workflowDidFinish(_ workflow: TaskWorkflow) {
        if !Thread.isMainThread { elsewhere.store(true, ordering: .releasing) }
        tellings.add(1, ordering: .acquiringAndReleasing)
        told.open()
    }
}

/// Restarts a chain that a failure has stopped.
private final class StartupRestarter: AppStartTaskManagerDelegate, Sendable {
    private let manager: @Sendable () -> AppStartTaskManager?

    init(_ manager: AppStartTaskManager) {
        self.manager = { [weak manager] in manager }
    }

    func taskDidComplete(_ task: any AppStartTask) {}
    func taskManagerDidComplete() {}

    func taskManagerDidFail(_ task: any AppStartTask, error: any Error) {
        manager()?.startAllTasks()
    }
}

/// A start-up task that ends in the way of its kind.
final class WorldStartupTask: AppStartTask, Sendable {
    let taskName: String
    private let number: Int
    private let kind: StartupKind
    private let turns: Gauge
    private let begins: @Sendable (Int) -> Void

    init(
        _ number: Int,
        _ kind: StartupKind,
        _ turns: Gauge,
        begins: @escaping @Sendable (Int) -> Void
    ) {
        taskName = "start-up \(number)"
        (self.number, self.kind, self.turns, self.begins) = (number, kind, turns, begins)
    }

    func start(delegate: any AppStartTaskDelegate) {
        turns.enter()
        begins(number)
        if kind == .inside { return end(delegate) }
        DispatchQueue.global().async { self.end(delegate) }
    }

    private func end(_ delegate: any AppStartTaskDelegate) {
        turns.leave()
        if kind == .failing {
            delegate.startupTaskDidFail(self, error: SampleError("start-up"))
        } else {
            delegate.startupTaskDidComplete(self)
        }
        if kind == .repeating { delegate.startupTaskDidComplete(self) }
    }
}
