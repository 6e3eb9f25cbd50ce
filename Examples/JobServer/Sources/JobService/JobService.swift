import Foundation
import Hummingbird
import HummingbirdCore
import JobJournal
import JobObservability
import JobStore
import Logging
import Metrics
import NIOCore
import PrometheusText
import ServiceLifecycle
import Synchronization

/// A server that runs jobs of the given kinds, and shows them on a page.
///
/// ```swift
/// var configuration = JobServiceConfiguration()
/// configuration.port = 9000
/// let service = JobService(configuration: configuration, kinds: [ThumbnailsKind()])
/// try await service.run()
/// ```
///
/// ``run()`` alone serves until SIGTERM or SIGINT: it lets running jobs end within the grace, cancels them
/// then, and gives up those that have not stopped two seconds later. It is a service of
/// swift-service-lifecycle, too; one that stands in a group of yours may leave the signals to it
/// (``JobServiceConfiguration/handlesSignals``).
///
/// Code of the same process submits and cancels runs, and hears of them, by the methods in
/// "JobService+Code".
///
/// > Thread: Any. Retains its kinds.
public final class JobService: Service {
    let configuration: JobServiceConfiguration
    let kinds: JobKinds
    let logger: Logger
    let ends = EndListeners()
    let opening = Opening()
    private let schedules: [JobSchedule]
    private let metrics: PrometheusFactory
    private let failure = Mutex<StartUpError?>(nil)

    /// Makes a server; nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: Where it listens, what it keeps and what it allows.
    ///   - kinds: The kinds of job that it runs; two of one name trap.
    ///   - schedules: What it submits by itself; two of one name, and an unknown kind, trap.
    ///   - logger: Where it logs.
    ///   - metrics: What counts its runs, and what `GET /metrics` writes.
    public init(
        configuration: JobServiceConfiguration,
        kinds: [any JobKind],
        schedules: [JobSchedule] = [],
        logger: Logger = Logger(label: "job-server"),
        metrics: PrometheusFactory = PrometheusFactory()
    ) {
        self.configuration = configuration
        self.kinds = JobKinds(kinds)
        self.schedules = schedules
        self.logger = logger
        self.metrics = metrics
        precondition(
            Set(schedules.map { Name($0.name) }).count == schedules.count,
            "Two schedules have one name"
        )
        for schedule in schedules where self.kinds[schedule.kind] == nil {
            preconditionFailure("The schedule \(schedule.name) is of an unknown kind")
        }
    }

    /// Serves until a graceful shutdown, or a signal where the configuration says so.
    ///
    /// - Throws: ``StartUpError`` if it cannot start, when nothing was logged; or if the database's file
    ///   is gone or was replaced while it served.
    public func run() async throws {
        defer { opening.close() }
        try configuration.validate()
        let portFile = try configuration.portFile.map { path throws(StartUpError) in
            try PortFile(path: path)
        }
        let watch = StoreWatch(logger: logger)
        let store = try openStore(watch)
        let runner = makeRunner(store)
        let sweeper = Sweeper(
            store: store,
            days: configuration.keepDays,
            logger: logger,
            journals: journals
        )
        let (recovery, swept) = try await recover(store, sweeper)
        // A failure to listen is told by its error alone.
        let silent = Logger(label: "job-server.services") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: application(runner, recovery, swept, portFile, silent)),
                    .init(service: Sampler(runner: runner)),
                    .init(service: sweeper),
                    .init(service: watch),
                    .init(service: EndTeller(ends: ends)),
                    .init(
                        service: Scheduler(runner: runner, schedules: schedules, logger: logger)
                    ),
                    .init(service: RunnerService(runner: runner)),
                ],
                logger: silent
            )
        )
        let signals = configuration.handlesSignals ? Signals(stopping: group) : nil
        defer { signals?.ignore() }
        do {
            try await group.run()
        } catch let error as IOError {
            let address = "\(configuration.host):\(configuration.port)"
            throw StartUpError(74, "Cannot listen on \(address): \(Self.reason(error)).")
        } catch let error as StartUpError {
            throw error
        } catch {
            if let failure = failure.withLock({ $0 }) { throw failure }
            guard !runner.isStopping else { return }
            throw StartUpError(74, "Cannot serve on \(configuration.host): \(error).")
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        portFile?.remove()
    }

    private func openStore(_ watch: StoreWatch) throws(StartUpError) -> JobStore {
        do {
            return try JobStore(path: configuration.data, durability: configuration.durability) {
                watch.told($0)
            }
        } catch {
            throw StartUpError(74, error.description)
        }
    }

    private func recover(
        _ store: JobStore,
        _ sweeper: Sweeper
    ) async throws(StartUpError) -> (Recovery, Logger.Message?) {
        do {
            let recovery = try await store.recover(
                now: RunClock.now,
                resumable: configuration.resumes ? kinds.resumable : [],
                attempts: configuration.attempts
            )
            return (recovery, try await sweeper.sweepAtStart())
        } catch {
            throw StartUpError(74, "The database \(configuration.data) cannot be used: \(error).")
        }
    }

    private var journals: RunJournal.Place {
        RunJournal.Place(
            database: configuration.data,
            safety: configuration.durability == .powerLoss ? .powerLoss : .processCrash
        )
    }

    private func makeRunner(_ store: JobStore) -> Runner {
        Runner(
            kinds: kinds,
            environment: JobEnvironment(
                width: configuration.width,
                folders: AllowedFolders(configuration.allowedFolders)
            ),
            store: store,
            hub: EventHub(limit: configuration.listenerLimit),
            width: configuration.jobs,
            queueLimit: configuration.queueLimit,
            limits: Runner.Limits(
                grace: configuration.grace,
                timeLimit: configuration.timeLimit,
                giveUp: configuration.giveUp
            ),
            journals: journals,
            metrics: RunMetrics(factory: metrics),
            logger: logger,
            ends: ends
        )
    }

    private func application(
        _ runner: Runner,
        _ recovery: Recovery,
        _ swept: Logger.Message?,
        _ portFile: PortFile?,
        _ silent: Logger
    ) -> some Service {
        let tokens = configuration.tokens
        let secret = tokens.isEmpty ? nil : AccessSecret(tokens: tokens)
        let gate = RequestGate(hosts: configuration.hostNames, secret: secret)
        let page = Page()
        let routes = JobRoutes(
            runner: runner,
            schedules: ScheduleRoutes(runner: runner, schedules: schedules),
            page: page,
            events: EventStream(hub: runner.hub, board: runner.board, store: runner.store),
            metrics: metrics,
            secret: secret,
            gate: gate,
            logger: logger
        )
        let responder = GuardedResponder(
            gate: gate,
            page: page,
            routes: routes.router().buildResponder(),
            logger: logger
        )
        let (host, limits) = (configuration.host, configuration.timeLimits)
        let silentOnes = SilentConnections(limit: configuration.silentConnectionLimit)
        return Application(
            responder: responder,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [
                        ConnectionDeadlines(limits, silent: silentOnes)
                    ]
                )
            ),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: configuration.port),
                availableConnectionsDelegate: .maximum(
                    configuration.connectionLimit,
                    logger: silent
                )
            ),
            onServerRunning: { [self] channel in
                let port = channel.localAddress?.port ?? 0
                do throws(StartUpError) {
                    try portFile?.write(port)
                } catch {
                    failure.withLock { $0 = error }
                    try? await channel.close()
                    return
                }
                logger.info(
                    "Listening",
                    metadata: [
                        "url": "http://\(host):\(port)/",
                        "folders": "\(runner.environment.folders.paths.joined(separator: ", "))",
                        "runs.queued": "\(recovery.queued.count)",
                        "runs.interrupted": "\(recovery.interruptedIDs.count)",
                        "runs.resumed": "\(recovery.resumedIDs.count)",
                    ]
                )
                if let swept { logger.warning(swept) }
                for id in recovery.wornOutIDs {
                    logger.warning(
                        "A run is not resumed: too many of its starts ended with the process",
                        metadata: ["job.id": "\(id)"]
                    )
                }
                runner.open(with: recovery.queued)
                opening.open(runner)
            },
            logger: silent
        )
    }

    private static func reason(_ error: IOError) -> String {
        String(cString: strerror(error.errnoCode))
    }
}
