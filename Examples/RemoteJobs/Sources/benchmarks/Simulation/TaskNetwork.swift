import Foundation

/// Simulates the way of tasks through controllers, brokers and workers, event by event.
///
/// Tasks arrive at random moments (Poisson), each of a randomly chosen job. Everything else follows
/// from the plan, the costs and the seed. Times are in seconds.
struct TaskNetwork {
    /// The network and its load.
    struct Plan: Equatable {
        /// Tasks per second of all jobs together.
        var rate: Double
        var jobs = 1_000
        /// How long a job lasts.
        ///
        /// It determines how often jobs are created and removed.
        var jobSeconds = 100.0
        var brokers = 1
        var coresOfBroker = 2
        /// Event loops of controllers, each with one core.
        var controllers = 4
        /// Workers, each with an event loop on its own core.
        var workers = 4
        /// How many tasks a worker runs at a time.
        var width = 8
        /// The time of a task's work.
        var taskSeconds = 0.01
        /// The time of a message between two hosts.
        var hopSeconds = 0.000_1
        /// Whether costs are random with the measured mean (exponential) instead of constant.
        var drawsCosts = false
    }

    private enum Work {
        case publish(Int)
        case enqueue(Int)
        case deliver(Int)
        case take(Int)
        case perform(Int)
        case conclude(Int)
        case append(Int)
        case settle(Int)
        /// The broker's remaining work for creating or removing a job, in microseconds.
        case changeJob(broker: Int, process: Int, left: Double)
    }

    private enum Event {
        case task
        case job
        case reached(Work)
        case ended(station: Int, process: Int, Work)
        case confirmed(outbox: Int)
        case outboxDue(outbox: Int, batch: Int)
        case countBegins
    }

    private struct Task {
        let job: Int
        let begin: Double
        var worker = 0
    }

    private struct Message {
        let job: Int
        let worker: Int
        var tasks: [Int] = []
    }

    /// A worker's outcomes for one broker, sent by the rules of `OutcomeBatches`.
    private struct Outbox {
        static let most = 64
        static let longestWait = 0.005
        var waiting: [Int] = []
        var underWay = 0
        var batch = 0
    }

    /// How long a broker's process runs before others have their turns, in microseconds.
    private static let longestTurn = 500.0

    private let plan: Plan
    private let costs: TaskCosts
    private var random: SplitMix64
    private var line = EventLine<Event>()
    private var stations: [Station<Work>] = []
    private var tasks: [Task] = []
    private var messages: [Message] = []
    private var outboxes: [Outbox]
    private let brokerOfJob: [Int]
    private var nextWorker = 0
    private var countBegin = 0.0
    private var overheads: [Double] = []
    private var doneCount = 0
    private var messageCount = 0
    /// Processes of a broker's station that create and remove jobs.
    private var jobChanges = 0

    init(_ plan: Plan, _ costs: TaskCosts, seed: UInt64) {
        self.plan = plan
        self.costs = costs
        random = SplitMix64(seed: seed)
        outboxes = Array(repeating: Outbox(), count: plan.workers * plan.brokers)
        // A job's ID selects its broker, so the brokers' shares differ by chance.
        var draws = SplitMix64(seed: ~seed)
        brokerOfJob = (0..<plan.jobs).map { _ in Int.random(in: 0..<plan.brokers, using: &draws) }
        stations += (0..<plan.controllers).map { _ in Station(cores: 1) }
        stations += (0..<plan.brokers).map { _ in Station(cores: plan.coresOfBroker) }
        stations += (0..<plan.workers).map { _ in Station(cores: 1) }
        stations += (0..<plan.workers).map { _ in Station(cores: plan.width) }
    }

    /// Runs the simulation and collects statistics after a warm-up.
    ///
    /// - Parameters:
    ///   - seconds: The length of the statistics.
    ///   - warmUp: The time before the statistics begin.
    /// - Returns: The statistics.
    mutating func run(seconds: Double, warmUp: Double) -> NetworkReport {
        let end = warmUp + seconds
        line.add(.countBegins, at: warmUp)
        line.add(.task, at: interval(plan.rate))
        if costs.job > 0 { line.add(.job, at: interval(Double(plan.jobs) / plan.jobSeconds)) }
        while let (time, event) = line.takeFirst(), time <= end { handle(event, time) }
        for number in stations.indices { stations[number].endCount(at: end) }
        return report(seconds)
    }

    private mutating func handle(_ event: Event, _ time: Double) {
        switch event {
        case .countBegins:
            countBegin = time
            (doneCount, messageCount, overheads) = (0, 0, [])
            for number in stations.indices { stations[number].beginCount(at: time) }
        case .task:
            tasks.append(Task(job: Int.random(in: 0..<plan.jobs, using: &random), begin: time))
            reached(.publish(tasks.count - 1), time)
            line.add(.task, at: time + interval(plan.rate))
        case .job:
            beginChangeOfJob(time)
            line.add(.job, at: time + interval(Double(plan.jobs) / plan.jobSeconds))
        case .reached(let work): reached(work, time)
        case .ended(let station, let process, let work):
            if let start = stations[station].ended(process, at: time) { began(start, station) }
            ended(work, time)
        case .confirmed(let outbox):
            outboxes[outbox].underWay -= 1
            if outboxes[outbox].underWay == 0 { send(outbox, time) }
        case .outboxDue(let outbox, let batch):
            if outboxes[outbox].batch == batch { send(outbox, time) }
        }
    }

    // MARK: Stations

    private var firstBroker: Int { plan.controllers }
    private var firstLoop: Int { firstBroker + plan.brokers }
    private var firstSlots: Int { firstLoop + plan.workers }

    /// The station and process of a piece of work, and its cost in microseconds.
    private func place(of work: Work) -> (station: Int, process: Int, cost: Double) {
        switch work {
        case .publish(let task): (tasks[task].job % plan.controllers, 0, costs.publish)
        case .enqueue(let task): (broker(of: task), 2 * tasks[task].job, costs.enqueue)
        case .deliver(let task): (broker(of: task), 2 * tasks[task].job, costs.deliver)
        case .take(let task), .conclude(let task):
            (firstLoop + tasks[task].worker, 0, costs.worker / 2)
        case .perform(let task): (firstSlots + tasks[task].worker, task, plan.taskSeconds * 1e6)
        case .append(let message):
            (
                firstBroker + brokerOfJob[messages[message].job],
                2 * messages[message].job + 1, costs.append
            )
        case .settle(let message):
            (
                messages[message].job % plan.controllers, 0,
                costs.settle * Double(messages[message].tasks.count)
            )
        case .changeJob(let broker, let process, let left):
            (firstBroker + broker, process, min(left, Self.longestTurn))
        }
    }

    private mutating func beginChangeOfJob(_ time: Double) {
        jobChanges += 1
        let broker = Int.random(in: 0..<plan.brokers, using: &random)
        reached(.changeJob(broker: broker, process: -jobChanges, left: costs.job), time)
    }

    private func broker(of task: Int) -> Int { firstBroker + brokerOfJob[tasks[task].job] }

    private mutating func reached(_ work: Work, _ time: Double) {
        let (station, process, cost) = place(of: work)
        var service = cost / 1e6
        if plan.drawsCosts { service *= -log(1 - Double.random(in: 0..<1, using: &random)) }
        let start = stations[station].arrived(work, of: process, service: service, at: time)
        if let start { began(start, station) }
    }

    private mutating func began(_ start: Station<Work>.Start, _ station: Int) {
        let event = Event.ended(station: station, process: start.process, start.work)
        line.add(event, at: start.end)
    }

    // MARK: A task's way

    private mutating func ended(_ work: Work, _ time: Double) {
        switch work {
        case .publish(let task): line.add(.reached(.enqueue(task)), at: time + plan.hopSeconds)
        case .enqueue(let task): reached(.deliver(task), time)
        case .deliver(let task):
            tasks[task].worker = nextWorker
            nextWorker = (nextWorker + 1) % plan.workers
            line.add(.reached(.take(task)), at: time + plan.hopSeconds)
        case .take(let task): reached(.perform(task), time)
        case .perform(let task): reached(.conclude(task), time)
        case .conclude(let task): concluded(task, time)
        case .append(let message):
            let outbox = outbox(of: messages[message].worker, messages[message].job)
            line.add(.confirmed(outbox: outbox), at: time + plan.hopSeconds)
            line.add(.reached(.settle(message)), at: time + plan.hopSeconds)
        case .settle(let message):
            for task in messages[message].tasks where tasks[task].begin >= countBegin {
                overheads.append(time - tasks[task].begin - plan.taskSeconds)
            }
            doneCount += messages[message].tasks.count
            messages[message].tasks = []
        case .changeJob(let broker, let process, let left):
            let left = left - Self.longestTurn
            guard left > 0 else { return }
            reached(.changeJob(broker: broker, process: process, left: left), time)
        }
    }

    private func outbox(of worker: Int, _ job: Int) -> Int {
        worker * plan.brokers + brokerOfJob[job]
    }

    private mutating func concluded(_ task: Int, _ time: Double) {
        let number = outbox(of: tasks[task].worker, tasks[task].job)
        outboxes[number].waiting.append(task)
        let outbox = outboxes[number]
        if outbox.underWay == 0 || outbox.waiting.count >= Outbox.most {
            send(number, time)
        } else if outbox.waiting.count == 1 {
            let event = Event.outboxDue(outbox: number, batch: outbox.batch)
            line.add(event, at: time + Outbox.longestWait)
        }
    }

    /// Sends the waiting outcomes, one message for each job.
    private mutating func send(_ number: Int, _ time: Double) {
        let waiting = outboxes[number].waiting
        outboxes[number].waiting = []
        outboxes[number].batch += 1
        var messageOfJob: [Int: Int] = [:]
        for task in waiting {
            let job = tasks[task].job
            if let message = messageOfJob[job] {
                messages[message].tasks.append(task)
            } else {
                messageOfJob[job] = messages.count
                messages.append(Message(job: job, worker: tasks[task].worker, tasks: [task]))
                line.add(.reached(.append(messages.count - 1)), at: time + plan.hopSeconds)
                outboxes[number].underWay += 1
                messageCount += 1
            }
        }
    }

    // MARK: The count

    private func report(_ seconds: Double) -> NetworkReport {
        let logs = stations.map(\.log)
        let brokers = Array(logs[firstBroker..<firstLoop])
        return NetworkReport(
            plan: plan,
            doneRate: Double(doneCount) / seconds,
            outcomesOfMessage: messageCount > 0 ? Double(doneCount) / Double(messageCount) : 0,
            overheads: overheads.sorted(),
            stations: [
                .init(.controllers, Array(logs[..<firstBroker])),
                .init(.brokers, brokers),
                .init(.queue, processesOf: brokers) { $0 >= 0 && $0.isMultiple(of: 2) },
                .init(.stream, processesOf: brokers) { $0 >= 0 && !$0.isMultiple(of: 2) },
                .init(.workers, Array(logs[firstLoop..<firstSlots])),
                .init(.slots, Array(logs[firstSlots...])),
            ]
        )
    }

    /// A random time until the next event.
    private mutating func interval(_ rate: Double) -> Double {
        -log(1 - Double.random(in: 0..<1, using: &random)) / rate
    }
}
