extension WorldPlan {
    /// Picks a world of 20 to 200 tasks, most of them small.
    init(seed: UInt64) {
        var dice = Dice(seed: seed)
        var draw = WorldDraw(tasksLeft: dice.one(in: 6) ? 200 : dice.number(20...50))
        let width = dice.number(1...4)
        var root = draw.job(depth: 0, &dice)
        let threads = dice.number(1...2)
        var chaos = (0..<threads)
            .map { _ in (0..<dice.number(5...30)).map { _ in ChaosCall(&dice) } }
        let isAsked = dice.one(in: 3)
        if isAsked { root.tasks.insert(contentsOf: draw.watchedTasks(), at: 0) }
        let launch = dice.one(in: 3) ? WorldLaunchPlan(&dice) : nil
        if launch != nil {
            chaos += (0..<2)
                .map { _ in
                    (0..<dice.number(5...30)).map { _ in ChaosCall(ofLaunch: &dice) }
                }
        }
        self.init(
            seed: seed,
            width: width,
            root: root,
            isAsked: isAsked,
            // Longer than some tasks take to be forwarded.
            rateMicroseconds: dice.one(in: 3) ? 1_000 : 100,
            launch: launch,
            chaos: chaos
        )
    }
}

extension ChaosCall {
    /// Calls that end a job are rarer than reads, so that most worlds run for a while.
    private static let destructive: Set<Member> = [
        .cancelJob, .finishJob, .failJob, .cancelProgress, .cancelQueue, .runtimeOfJob,
    ]

    /// The calls that drive a launch.
    private static let launching: [Member] = [
        .setNeed, .setNeed, .setNeed, .openDecisions, .completeItem, .prioritizeItem, .openGate,
        .askItem, .followItem, .cancelWorkflow, .addLaunchTasks, .askWorkflow, .addStartup,
        .removeStartup, .startStartup,
    ]

    fileprivate init(ofLaunch dice: inout Dice) {
        self.init(
            member: dice.pick(Self.launching),
            target: dice.number(0...400),
            other: dice.number(0...400),
            spins: dice.number(0...300)
        )
    }

    init(_ dice: inout Dice) {
        var member = dice.pick(Member.allCases)
        if Self.destructive.contains(member), !dice.one(in: 3) {
            member = dice.pick(Member.allCases)
        }
        self.init(
            member: member,
            target: dice.number(0...400),
            other: dice.number(0...400),
            spins: dice.one(in: 3) ? dice.number(0...2_000) : dice.number(0...100)
        )
    }
}

/// Picks the jobs of a world, and counts the tasks that it may still have.
private struct WorldDraw {
    private static let deepest = 4
    private static let queuesBelowKeys: [WorldQueue] = [.shared, .foundation, .keyA]

    var tasksLeft: Int
    /// Whether a job above holds a key.
    ///
    /// Its tasks use no limited queue and no other key, because others in that queue or of that key
    /// may wait for the key. Such chains may deadlock (X4).
    private var isBelowKey = false

    init(tasksLeft: Int) { self.tasksLeft = tasksLeft }

    mutating func job(depth: Int, _ dice: inout Dice) -> JobPlan {
        var plan = JobPlan(
            queue: dice.pick(
                isBelowKey ? [.shared, .foundation] : [.few, .few, .shared, .foundation]
            )
        )
        plan.hasCallbackQueue = dice.one(in: 10)
        plan.hasContext = dice.one(in: 4)
        plan.hasNarrowGroup = dice.one(in: 4)
        if dice.one(in: 25) { plan.maximumRuntimeMicroseconds = dice.number(0...2_000) }
        if dice.one(in: 12) { plan.maximumStopMicroseconds = dice.number(0...2_000) }
        let deeds = dice.one(in: 3) ? dice.number(1...2) : 0
        for _ in 0..<deeds {
            let deed = dice.pick(JobPlan.Deed.allCases)
            // The end of the root ends the world, so it should be rare.
            let ends = [.cancel, .finish, .fail].contains(deed)
            if !ends || dice.one(in: depth == 0 ? 8 : 2) { plan.deeds[dice.number(0...8)] = deed }
        }
        plan.tasks = tasks(depth == 0 ? 3...12 : 0...5, depth: depth, callback: 0, &dice)
        if dice.one(in: 4) { plan.last = tasks(1...2, depth: depth, callback: 4, &dice) }
        return plan
    }

    /// Returns tasks that end during `explainStall`, and a job with tasks that wait for them.
    func watchedTasks() -> [TaskPlan] {
        var waiting = TaskPlan(kind: .instant(fails: false))
        waiting.waitsOutside = true
        let job = JobPlan(queue: .shared, tasks: Array(repeating: waiting, count: 8))
        let watched = TaskPlan(kind: .watched, queue: .shared)
        return Array(repeating: watched, count: 8) + [TaskPlan(kind: .job(job), queue: .shared)]
    }

    private mutating func tasks(
        _ count: ClosedRange<Int>,
        depth: Int,
        callback: Int,
        _ dice: inout Dice
    ) -> [TaskPlan] {
        var plans: [TaskPlan] = []
        for _ in 0..<dice.number(count) where tasksLeft > 0 {
            tasksLeft -= 1
            plans.append(task(depth: depth, callback: callback, &dice))
        }
        return plans
    }

    private mutating func task(depth: Int, callback: Int, _ dice: inout Dice) -> TaskPlan {
        let wasBelowKey = isBelowKey
        let isKeyed = dice.one(in: 5)
        isBelowKey = isBelowKey || isKeyed
        var plan = TaskPlan(kind: kind(depth: depth, &dice))
        isBelowKey = wasBelowKey
        plan.group = dice.pick([nil, "a", "a", "b"])
        plan.cancellation = dice.one(in: 8) ? dice.number(1...2) : 0
        plan.weight = Int64(dice.pick([0, 1, 1, 1, 5, 1_000_000]))
        plan.failure = dice.pick([0, 0, 1, 1, 1, 1, 1, 2])
        plan.hasClosure = dice.one(in: 2)
        plan.waitsFor = dice.one(in: 5) ? dice.number(1...3) : 0
        plan.waitsOutside = dice.one(in: 2)
        plan.edgeIsRemoved = dice.one(in: 4)
        plan.priority = dice.number(-2...2)
        switch plan.kind {
        case .job where isKeyed: plan.queue = .keyA
        case .job, .sharing:
            plan.queue = dice.pick([nil, .shared, .foundation, isBelowKey ? nil : .few])
        default:
            let queues = isBelowKey ? Self.queuesBelowKeys : WorldQueue.allCases
            plan.queue = dice.one(in: 2) ? dice.pick(queues) : nil
        }
        if callback < 6, dice.one(in: 2) {
            plan.next = tasks(0...3, depth: depth, callback: callback + 1, &dice)
        }
        return plan
    }

    private mutating func kind(depth: Int, _ dice: inout Dice) -> TaskPlan.Kind {
        switch dice.number(0...23) {
        case 0...1: .block
        case 2: .user
        case 3: .permitted
        case 4...5: .instant(fails: dice.one(in: 6))
        case 6...9: .later(fails: dice.one(in: 6))
        case 10: .closure(fails: dice.one(in: 6))
        case 11: .async
        case 12: dice.one(in: 4) ? .callbackLost : .callback
        case 13: .deaf
        case 14: .limited(dice.number(0...300), isManual: dice.one(in: 2))
        case 15...16:
            .retry(
                (0..<dice.number(1...3)).map { _ in dice.one(in: 2) },
                on: dice.one(in: 3) ? dice.pick([.shared, .foundation, .rated]) : nil
            )
        case 17: .finished(isPlain: dice.one(in: 2))
        case 18: .startedElsewhere(isPlain: dice.one(in: 3))
        case 19 where depth < Self.deepest: .sharing(job(depth: depth + 1, &dice))
        case 20... where depth < Self.deepest: .job(job(depth: depth + 1, &dice))
        default: .instant(fails: false)
        }
    }
}

extension Dice {
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(0...elements.count - 1)]
    }
}
