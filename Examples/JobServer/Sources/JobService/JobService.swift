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

/// A server that runs jobs of the given kinds and shows them on a page.
///
/// ```swift
/// var configuration = JobServiceConfiguration()
/// configuration.port = 9000
/// let service = JobService(configuration: configuration, kinds: [ThumbnailsKind()])
/// try await service.run()
/// ```
///
/// ``run()`` serves until SIGTERM or SIGINT. After such a signal, running jobs may finish within
/// the grace period. Then it cancels them, and abandons those that have not stopped two seconds
/// later. The type is also a service of swift-service-lifecycle. If it is part of your service
/// group, the group can handle the signals (``JobServiceConfiguration/handlesSignals``).
///
/// Code of the same process submits, cancels and observes runs with the methods in
/// "JobService+Code".
///
/// > Thread: Any. Retains its kinds.
public final class JobService: Service {
    /// The version of the server, which the header of the page shows.
    public static let version = "1.0.0"

    let configuration: JobServiceConfiguration
    let kinds: JobKinds
    let logger: Logger
    let ends = EndListeners()
    let opening = Opening()
    private let schedules: [JobSchedule]
    private let metrics: PrometheusFactory
    private let failure = Mutex<StartUpError?>(nil)

    /// Creates a server.
    ///
    /// Nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: The address, the storage and the permissions of the server.
    ///   - kinds: The kinds of job that it runs. Two kinds with one name trap.
    ///   - schedules: The runs that it submits by itself. Two schedules with one name, or an
    ///     unknown kind, trap.
    ///   - logger: The log.
    ///   - metrics: Counts runs, and creates the text of `GET /metrics`.
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

    /// Serves until a graceful shutdown, or until a signal if so configured.
    ///
    /// - Throws: ``StartUpError`` if it cannot start, in which case nothing was logged. Also if the
    ///   database's file was deleted or replaced while it was serving.
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
        // The error alone reports a failure to listen.
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
            queue: QueueRoutes(runner: runner),
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
                runner.open(with: recovery.queued, pauses: recovery.pauses)
                opening.open(runner)
            },
            logger: silent
        )
    }

    private static func reason(_ error: IOError) -> String {
        String(cString: strerror(error.errnoCode))
    }
}
