import Foundation
import Hummingbird
import HummingbirdCore
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
/// try await JobService(configuration: configuration, kinds: [ThumbnailsKind()]).run()
/// ```
///
/// It is a service of swift-service-lifecycle: a graceful shutdown lets running jobs end within the
/// grace, cancels them then, and gives up those that have not stopped two seconds later.
///
/// > Thread: Any. Retains its kinds.
public final class JobService: Service {
    private let configuration: JobServiceConfiguration
    private let kinds: JobKinds
    private let logger: Logger
    private let metrics: PrometheusFactory
    private let failure = Mutex<StartUpError?>(nil)

    /// Makes a server; nothing is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: Where it listens, what it keeps and what it allows.
    ///   - kinds: The kinds of job that it runs; two of one name trap.
    ///   - logger: Where it logs.
    ///   - metrics: What counts its runs, and what `GET /metrics` writes.
    public init(
        configuration: JobServiceConfiguration,
        kinds: [any JobKind],
        logger: Logger = Logger(label: "job-server"),
        metrics: PrometheusFactory = PrometheusFactory()
    ) {
        self.configuration = configuration
        self.kinds = JobKinds(kinds)
        self.logger = logger
        self.metrics = metrics
    }

    /// Serves until a graceful shutdown.
    ///
    /// - Throws: ``StartUpError`` if it cannot start; nothing was logged then.
    public func run() async throws {
        try configuration.validate()
        let portFile = try configuration.portFile.map { path throws(StartUpError) in
            try PortFile(path: path)
        }
        let store = try openStore()
        let runner = makeRunner(store)
        let recovery = try await recover(store)
        // A failure to listen is told by its error alone.
        let silent = Logger(label: "job-server.services") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: application(runner, recovery, portFile, silent)),
                    .init(service: Sampler(runner: runner)),
                    .init(
                        service: Sweeper(store: store, days: configuration.keepDays, logger: logger)
                    ),
                    .init(service: RunnerService(runner: runner)),
                ],
                logger: silent
            )
        )
        do {
            try await group.run()
        } catch let error as IOError {
            let address = "\(configuration.host):\(configuration.port)"
            throw StartUpError(74, "Cannot listen on \(address): \(Self.reason(error)).")
        } catch {
            if let failure = failure.withLock({ $0 }) { throw failure }
            guard !runner.isStopping else { return }
            throw StartUpError(74, "Cannot serve on \(configuration.host): \(error).")
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        portFile?.remove()
    }

    private func openStore() throws(StartUpError) -> JobStore {
        do {
            return try JobStore(path: configuration.data)
        } catch {
            throw StartUpError(74, error.description)
        }
    }

    private func recover(_ store: JobStore) async throws(StartUpError) -> Recovery {
        do {
            let now = RunClock.now
            let recovery = try await store.recover(
                now: now,
                resumable: configuration.resumes ? kinds.resumable : []
            )
            _ = try await store.deleteRuns(
                endedBefore: Sweeper.limit(now: now, days: configuration.keepDays)
            )
            return recovery
        } catch {
            throw StartUpError(74, "The database \(configuration.data) cannot be used: \(error).")
        }
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
            grace: configuration.grace,
            metrics: RunMetrics(factory: metrics),
            logger: logger
        )
    }

    private func application(
        _ runner: Runner,
        _ recovery: Recovery,
        _ portFile: PortFile?,
        _ silent: Logger
    ) -> some Service {
        let secret = configuration.token.map { AccessSecret(token: $0) }
        let page = Page()
        let routes = JobRoutes(
            runner: runner,
            page: page,
            events: EventStream(hub: runner.hub, board: runner.board, store: runner.store),
            metrics: metrics,
            secret: secret
        )
        let responder = GuardedResponder(
            gate: RequestGate(hosts: configuration.hostNames, secret: secret),
            page: page,
            routes: routes.router().buildResponder(),
            logger: logger
        )
        let (host, limits) = (configuration.host, configuration.timeLimits)
        return Application(
            responder: responder,
            server: .http1(
                configuration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [ConnectionDeadlines(limits)]
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
                        "runs.queued": "\(recovery.queuedIDs.count)",
                        "runs.interrupted": "\(recovery.interruptedIDs.count)",
                        "runs.resumed": "\(recovery.resumedIDs.count)",
                    ]
                )
                runner.open(with: recovery.queuedIDs)
            },
            logger: silent
        )
    }

    private static func reason(_ error: IOError) -> String {
        String(cString: strerror(error.errnoCode))
    }
}
