import Foundation
import JobKit

/// The app's own first task: checks the version before anything else runs.
// Restates its class; it adds nothing.
final class VersionCheck: AppStartTaskManager, @unchecked Sendable {
    override var taskName: String { "Check the version" }

    override func start(delegate: any AppStartTaskDelegate) {
        // An answer from a server comes later, on some other thread.
        DispatchQueue.global().async { delegate.startupTaskDidComplete(self) }
    }
}

/// Chooses the server that answers first.
final class ChooseServer: AppStartTask {
    let taskName = "Choose a server"

    func start(delegate: any AppStartTaskDelegate) {
        delegate.startupTaskDidComplete(self)
    }
}

/// Loads the configuration from a file, and fails where there is none.
final class LoadConfiguration: AppStartTask {
    struct Missing: Error, CustomStringConvertible {
        let path: String
        var description: String { "there is no file \(path)" }
    }

    let taskName = "Load the configuration"
    private let path: String

    init(path: String) { self.path = path }

    func start(delegate: any AppStartTaskDelegate) {
        if FileManager.default.isReadableFile(atPath: path) {
            delegate.startupTaskDidComplete(self)
        } else {
            delegate.startupTaskDidFail(self, error: Missing(path: path))
        }
    }
}

/// Follows the chain, and decides what a failure means.
final class AppLaunch: AppStartTaskManagerDelegate, Sendable {
    private let manager = VersionCheck()
    private let show: @Sendable (String) -> Void
    private let (ended, end) = AsyncStream.makeStream(of: Void.self)

    init(configuration path: String, show: @escaping @Sendable (String) -> Void) {
        self.show = show
        manager.delegate = self
        manager.addStartupTask(LoadConfiguration(path: path))
        manager.addStartupTask(ChooseServer())
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
        show("Go on with the built-in configuration")
        manager.startAllTasks()
    }

    func taskManagerDidComplete() {
        show("Show the home screen")
        end.finish()
    }
}
