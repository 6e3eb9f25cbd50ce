import Dispatch
import Foundation
import JobKit
import Synchronization

/// The live progress line on a terminal.
final class ProgressDisplay: Sendable {
    private let job: JobController
    private let isShowing = Mutex(true)
    private let queue = DispatchQueue(label: "find-duplicates-on-hosts.progress")

    /// Shows a job's progress.
    ///
    /// Returns `nil` if standard error is not a terminal.
    init?(of job: JobController) {
        let terminal = ProcessInfo.processInfo.environment["TERM"]
        guard isatty(STDERR_FILENO) == 1, terminal != nil, terminal != "dumb" else { return nil }
        self.job = job
        queue.sync { draw() }
    }

    /// Clears the line and stops.
    ///
    /// Nothing is drawn after it has returned.
    func clear() {
        let wasShowing = isShowing.withLock { isShowing in
            defer { isShowing = false }
            return isShowing
        }
        guard wasShowing else { return }
        queue.sync { Output.raw("\r\u{1B}[K") }
    }

    private func draw() {
        guard isShowing.withLock({ $0 }) else { return }
        let share = Int(job.progress.fractionCompleted * 100)
        let waiting = job.trackedTasks
        let first =
            waiting.first.flatMap(\.name).map { ", waits for \(Output.printable($0))" } ?? ""
        let line = "\(share)% done, \(waiting.count) tasks under way\(first)"
        Output.raw("\r\(line.prefix(78))\u{1B}[K")
        queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [weak self] in self?.draw() }
    }
}
