/// Decides about all tasks of one controller's life of a job.
///
/// It says what is to be published, keeps within the limits, and takes what the job's stream
/// says. What it decides is done by ``SessionLoop``.
struct JobLedger<Entry, Body> {
    typealias Record = JobRecord<Body>

    /// How much may be under way.
    struct Limits {
        /// Published and not confirmed.
        var unconfirmed = 1_000
        /// Published and not settled.
        var inFlight = 20_000
    }

    /// What becomes of a task.
    enum Settlement {
        case ended(TaskOutcome<Body>)
        case inputChanged
        case keyInUse
        /// The session has ended first.
        case abandoned
    }

    enum Action {
        /// Declare the queues of a route.
        case declare(route: String)
        /// Write into the stream that the broker has the task.
        case noteQueued(Record.Task)
        /// Write into the stream that cancelled tasks are nobody's.
        case noteWithdrawn([Record.Task])
        case settle(Entry, Settlement)
        case tellStarted(Entry, WorkerIdentity, attempt: Int)
        case tellProgress(Entry, Double)
        /// Take a round of cancels soon, so that many go together.
        case cancelSoon
    }

    /// A task to be published.
    struct Publication {
        let key: String
        let id: PublicationID
        let route: String
        let digest: UInt64
        let entry: Entry
    }

    /// What was counted.
    struct Counts: Hashable {
        var published = 0
        var adopted = 0
        var knownOutcomes = 0
        var duplicateOutcomes = 0
    }

    let life: String
    /// This life of the job's controller, and those that have left a mark in the job's stream.
    var lives: Set<String>
    let limits: Limits
    var counts = Counts()
    var tasks: [String: ControllerTask<Entry>] = [:]
    var cancels: CancelRounds
    var earlier = EarlierLives<Body>()
    var parked: [String: [String]] = [:]
    var boundRoutes: Set<String> = []
    var pastRoutes: Set<String> = []
    var waiting = TaskFIFO()
    var isOpen = false
    private var lastNumber = 0
    var outCount = 0
    var unconfirmedCount = 0

    init(life: String, limits: Limits = Limits()) {
        self.life = life
        lives = [life]
        self.limits = limits
        cancels = CancelRounds(life: life)
    }

    /// How many tasks the broker may have.
    var inFlightCount: Int { outCount }

    /// Whether something is to come by the stream.
    var awaitsStream: Bool { outCount > 0 || !cancels.isIdle }

    /// The routes of all tasks so far, of earlier lives too.
    var routes: Set<String> { boundRoutes.union(parked.keys).union(pastRoutes) }

    // MARK: The controller's side

    /// A task was started.
    mutating func submitted(
        _ entry: Entry,
        key: String,
        route: String,
        digest: UInt64
    ) -> [Action] {
        guard tasks[key] == nil else { return [.settle(entry, .keyInUse)] }
        lastNumber += 1
        let id = PublicationID(life: life, number: lastNumber)
        var task = ControllerTask(
            entry: entry,
            route: route,
            digest: digest,
            id: id,
            state: .waiting
        )
        // What earlier lives did is known when the stream was read; until then the task waits.
        guard isOpen else {
            task.state = .parked
            tasks[key] = task
            parked[route, default: []].append(key)
            return []
        }
        return place(task, key)
    }

    mutating func place(_ task: ControllerTask<Entry>, _ key: String) -> [Action] {
        var task = task
        if let known = earlier.take(key) {
            if let digest = known.digest, digest != task.digest {
                tasks[key] = nil
                return [.settle(task.entry, .inputChanged)]
            }
            if let outcome = known.outcome {
                tasks[key] = nil
                counts.knownOutcomes += 1
                return [.settle(task.entry, .ended(outcome))]
            }
            counts.adopted += 1
            outCount += 1
            task.id = known.id
            task.state = .queued
            task.runner = known.runner.map { .init(worker: $0, attempt: known.attempt) }
            tasks[key] = task
            guard let runner = task.runner else { return bind(task.route) }
            let told = Action.tellStarted(task.entry, runner.worker, attempt: runner.attempt)
            return [told] + bind(task.route)
        }
        guard boundRoutes.contains(task.route) else {
            task.state = .parked
            tasks[key] = task
            parked[task.route, default: []].append(key)
            return bind(task.route)
        }
        task.state = .waiting
        tasks[key] = task
        waiting.append(key)
        return []
    }

    private func bind(_ route: String) -> [Action] {
        boundRoutes.contains(route) ? [] : [.declare(route: route)]
    }

    /// The task that is to be published next, if one may be now.
    mutating func nextToPublish() -> Publication? {
        guard isOpen else { return nil }
        while unconfirmedCount < limits.unconfirmed, let key = waiting.first {
            guard let task = tasks[key], task.state == .waiting else {
                waiting.removeFirst()
                continue
            }
            guard task.isInDoubt || outCount < limits.inFlight else { return nil }
            waiting.removeFirst()
            if !task.isInDoubt { outCount += 1 }
            tasks[key]?.state = .publishing
            tasks[key]?.isInDoubt = false
            unconfirmedCount += 1
            counts.published += 1
            return Publication(
                key: key,
                id: task.id,
                route: task.route,
                digest: task.digest,
                entry: task.entry
            )
        }
        return nil
    }

    /// The session ends: nothing more is heard.
    mutating func abandoned() -> [Action] {
        let entries = tasks.values.map(\.entry)
        tasks = [:]
        parked = [:]
        waiting = TaskFIFO()
        outCount = 0
        isOpen = false
        return entries.map { .settle($0, .abandoned) }
    }
}

extension JobLedger.Settlement: Equatable where Body: Equatable {}
extension JobLedger.Settlement: Sendable where Body: Sendable {}
