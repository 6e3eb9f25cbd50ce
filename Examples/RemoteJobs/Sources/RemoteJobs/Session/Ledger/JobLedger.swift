import NIOCore

/// Decides about all tasks of one controller run of a job.
///
/// It decides which tasks are published, enforces the limits, and handles the records of the job's
/// stream. ``SessionLoop`` carries out its actions.
struct JobLedger<Entry, Body> {
    typealias Record = JobRecord<Body>

    /// Limits for tasks under way.
    struct Limits {
        /// Published and not confirmed.
        var unconfirmed = 1_000
        /// Published and not settled.
        var inFlight = 20_000
    }

    /// The end of a task in this run.
    enum Settlement {
        case ended(TaskOutcome<Body>)
        case inputChanged
        case keyInUse
        /// The session ended before the task.
        case abandoned
    }

    enum Action {
        /// Declare the queues of a route.
        case declare(route: Name)
        /// Write into the stream that the broker has the task.
        case noteQueued(Record.Task)
        /// Write into the stream that cancelled tasks are withdrawn.
        case noteWithdrawn([Record.Task])
        case settle(Entry, Settlement)
        case tellStarted(Entry, WorkerIdentity, attempt: Int)
        case tellProgress(Entry, Double)
        /// Take a cancel round soon, so that many cancellations travel together.
        case cancelSoon
        /// Read the outcome of a task again at its offset in the stream.
        case readAgain(TaskName, offset: Int)
    }

    /// A task to publish.
    struct Publication {
        let name: TaskName
        let id: PublicationID
        let route: Name
        let digest: UInt64
        let entry: Entry
    }

    /// Statistics of the ledger.
    struct Counts: Hashable {
        var published = 0
        var adopted = 0
        var knownOutcomes = 0
        var duplicateOutcomes = 0
    }

    let life: String
    /// This controller run and the runs that have left a mark in the job's stream.
    var lives: Set<Name>
    let limits: Limits
    var counts = Counts()
    var tasks: [TaskName: ControllerTask<Entry>] = [:]
    var cancels: CancelRounds
    var earlier: EarlierLives<Body>
    var parked: [Name: [TaskName]] = [:]
    var boundRoutes: Set<Name> = []
    var pastRoutes: Set<Name> = []
    var waiting = CircularBuffer<TaskName>()
    var isOpen = false
    private var lastNumber = 0
    var outCount = 0
    var unconfirmedCount = 0

    init(life: String, limits: Limits = Limits(), remembersFailures: Bool = false) {
        self.life = life
        earlier = EarlierLives(remembersFailures: remembersFailures)
        lives = [Name(life)]
        self.limits = limits
        cancels = CancelRounds(life: life)
    }

    /// The number of tasks that the broker may have.
    var inFlightCount: Int { outCount }

    /// Whether the stream will bring something that the session needs.
    var awaitsStream: Bool { outCount > 0 || !cancels.isIdle }

    /// The number of queued tasks of each route that no worker has reported as started.
    var routesNotBegun: [Name: Int] {
        var counts: [Name: Int] = [:]
        for task in tasks.values where task.state == .queued && task.runner == nil {
            counts[task.route, default: 0] += 1
        }
        return counts
    }

    /// Whether the broker cannot have any publication of this job.
    var hasNothingOut: Bool { outCount == 0 && cancels.isIdle && !earlier.hasQueued }

    /// Whether a task waits until the outcome of this publication is read again.
    func isAwaited(_ name: TaskName, _ id: PublicationID) -> Bool {
        tasks[name].map { $0.id == id && $0.state == .reading } ?? false
    }

    /// The routes of all tasks so far, including those of earlier runs.
    var routes: Set<Name> { boundRoutes.union(parked.keys).union(pastRoutes) }

    // MARK: The controller's side

    /// Adds a task that was started.
    mutating func submitted(
        _ entry: Entry,
        key: Name,
        route: Name,
        digest: UInt64
    ) -> [Action] {
        let name = TaskName(route: route, key: key)
        guard tasks[name] == nil else { return [.settle(entry, .keyInUse)] }
        let task = ControllerTask(
            entry: entry,
            route: route,
            digest: digest,
            id: nextID(),
            state: .parked
        )
        // The results of earlier runs are known once the stream was read. The task waits until
        // then.
        guard isOpen else {
            tasks[name] = task
            parked[route, default: []].append(name)
            return []
        }
        return place(task, name)
    }

    private mutating func nextID() -> PublicationID {
        lastNumber += 1
        return PublicationID(life: life, number: lastNumber)
    }

    /// Takes over the state of a task from an earlier run, or publishes the task.
    mutating func place(_ task: ControllerTask<Entry>, _ name: TaskName) -> [Action] {
        var task = task
        guard let known = earlier.take(name) else { return publish(task, name) }
        if let digest = known.digest, digest != task.digest {
            tasks[name] = nil
            return [.settle(task.entry, .inputChanged)]
        }
        task.id = known.id
        switch known.kept {
        case .here(let outcome):
            tasks[name] = nil
            counts.knownOutcomes += 1
            return [.settle(task.entry, .ended(outcome))]
        case .inStream(let place):
            task.state = .reading
            tasks[name] = task
            return [.readAgain(name, offset: place.offset)]
        case nil: break
        }
        counts.adopted += 1
        outCount += 1
        task.state = .queued
        task.runner = known.runner.map { .init(worker: $0, attempt: known.attempt) }
        tasks[name] = task
        guard let runner = task.runner else { return bind(task.route) }
        let told = Action.tellStarted(task.entry, runner.worker, attempt: runner.attempt)
        return [told] + bind(task.route)
    }

    /// Publishes a task again, because no usable outcome of an earlier run exists.
    mutating func publishAnew(_ task: ControllerTask<Entry>, _ name: TaskName) -> [Action] {
        var task = task
        task.id = nextID()
        return publish(task, name)
    }

    private mutating func publish(_ task: ControllerTask<Entry>, _ name: TaskName) -> [Action] {
        var task = task
        guard boundRoutes.contains(task.route) else {
            task.state = .parked
            tasks[name] = task
            parked[task.route, default: []].append(name)
            return bind(task.route)
        }
        task.state = .waiting
        tasks[name] = task
        waiting.append(name)
        return []
    }

    private func bind(_ route: Name) -> [Action] {
        boundRoutes.contains(route) ? [] : [.declare(route: route)]
    }

    /// The next task to publish, if the limits permit one.
    mutating func nextToPublish() -> Publication? {
        guard isOpen else { return nil }
        while unconfirmedCount < limits.unconfirmed, let name = waiting.first {
            guard let task = tasks[name], task.state == .waiting else {
                waiting.removeFirst()
                continue
            }
            guard task.isInDoubt || outCount < limits.inFlight else { return nil }
            waiting.removeFirst()
            if !task.isInDoubt { outCount += 1 }
            tasks[name]?.state = .publishing
            tasks[name]?.isInDoubt = false
            unconfirmedCount += 1
            counts.published += 1
            return Publication(
                name: name,
                id: task.id,
                route: task.route,
                digest: task.digest,
                entry: task.entry
            )
        }
        return nil
    }

    /// Abandons all tasks, because the session ends.
    mutating func abandoned() -> [Action] {
        let entries = tasks.values.map(\.entry)
        tasks = [:]
        parked = [:]
        waiting = CircularBuffer()
        outCount = 0
        isOpen = false
        return entries.map { .settle($0, .abandoned) }
    }
}

extension JobLedger.Settlement: Equatable where Body: Equatable {}
extension JobLedger.Settlement: Sendable where Body: Sendable {}
