import Foundation
import JobKit

/// The app's own first task, which checks the system's version before all other tasks.
// Restates the conformance of its superclass and adds nothing.
final class VersionCheck: AppStartTaskManager, @unchecked Sendable {
    struct TooOld: Error {}

    override var taskName: String { "Check the system's version" }

    override func start(delegate: any AppStartTaskDelegate) {
        let oldest = OperatingSystemVersion(majorVersion: 4, minorVersion: 0, patchVersion: 0)
        if ProcessInfo.processInfo.isOperatingSystemAtLeast(oldest) {
            delegate.startupTaskDidComplete(self)
        } else {
            delegate.startupTaskDidFail(self, error: TooOld())
        }
    }
}

/// Loads the configuration from a JSON file, and fails if there is none.
final class LoadConfiguration: AppStartTask {
    struct Unusable: Error, CustomStringConvertible {
        let path: String
        var description: String { "there is no configuration in \(path)" }
    }

    let taskName = "Load the configuration"
    private let path: String
    private let settings: AppSettings

    init(path: String, into settings: AppSettings) {
        self.path = path
        self.settings = settings
    }

    func start(delegate: any AppStartTaskDelegate) {
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            settings.configuration = try JSONDecoder().decode(Configuration.self, from: data)
            delegate.startupTaskDidComplete(self)
        } catch {
            delegate.startupTaskDidFail(self, error: Unusable(path: path))
        }
    }
}

/// Selects the first server of the configuration that has an address.
final class ChooseServer: AppStartTask, Sendable {
    struct NoneHasAnAddress: Error {}

    let taskName = "Choose a server"
    private let settings: AppSettings

    init(for settings: AppSettings) { self.settings = settings }

    /// Looks up addresses on a thread that may block.
    ///
    /// The next task starts when this one has reported its end.
    func start(delegate: any AppStartTaskDelegate) {
        DispatchQueue.global()
            .async { [self] in
                settings.server = settings.configuration.servers.first { hasAddress($0) }
                if settings.server == nil {
                    delegate.startupTaskDidFail(self, error: NoneHasAnAddress())
                } else {
                    delegate.startupTaskDidComplete(self)
                }
            }
    }

    private func hasAddress(_ server: String) -> Bool {
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(server, nil, nil, &addresses) == 0 else { return false }
        freeaddrinfo(addresses)
        return true
    }
}

/// Observes the chain of tasks and decides how to handle failures.
final class AppLaunch: AppStartTaskManagerDelegate, Sendable {
    private let manager = VersionCheck()
    private let settings = AppSettings()
    private let show: @Sendable (String) -> Void
    private let (ended, end) = AsyncStream.makeStream(of: Void.self)

    init(configuration path: String, show: @escaping @Sendable (String) -> Void) {
        self.show = show
        manager.delegate = self
        manager.addStartupTask(LoadConfiguration(path: path, into: settings))
        manager.addStartupTask(ChooseServer(for: settings))
    }

    func run() async {
        manager.startAllTasks()
        for await _ in ended {}
    }

    func taskDidComplete(_ task: any AppStartTask) {
        show("\(task.taskName): done")
    }

    func taskManagerDidFail(_ task: any AppStartTask, error: any Error) {
        show("\(task.taskName): failed, \(error)")
        guard task is LoadConfiguration else { return end.finish() }
        show("Go on with the built-in configuration")
        manager.startAllTasks()
    }

    func taskManagerDidComplete() {
        show("Show the home screen, with data from \(settings.server ?? "nobody")")
        end.finish()
    }
}
