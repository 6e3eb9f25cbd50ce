import JobKit
import JobKitTesting

struct StartupFailure: Error, Equatable {
    let reason: String
}

/// A start-up task that runs a closure.
final class SampleStartupTask: AppStartTask {
    typealias Work = (SampleStartupTask, any AppStartTaskDelegate) -> Void

    let taskName: String
    private let work: Work

    init(_ name: String, _ work: @escaping Work = { $1.startupTaskDidComplete($0) }) {
        taskName = name
        self.work = work
    }

    func start(delegate: any AppStartTaskDelegate) {
        work(self, delegate)
    }
}

/// Logs the calls of a manager: `end of NAME`, `NAME failed: REASON`, `all completed`.
final class LoggingManagerDelegate: AppStartTaskManagerDelegate {
    private let log: EventLog
    var onCompletion: (any AppStartTask) -> Void = { _ in }
    var onFailure: () -> Void = {}

    init(_ log: EventLog) { self.log = log }

    func taskDidComplete(_ task: any AppStartTask) {
        log.record("end of \(task.taskName)")
        onCompletion(task)
    }

    func taskManagerDidComplete() {
        log.record("all completed")
    }

    func taskManagerDidFail(_ task: any AppStartTask, error: any Error) {
        let reason = (error as? StartupFailure)?.reason ?? "\(error)"
        log.record("\(task.taskName) failed: \(reason)")
        onFailure()
    }
}
