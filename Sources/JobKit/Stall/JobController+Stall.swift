import Foundation

extension JobController {
    /// Explains why the job has not finished yet, task by task.
    ///
    /// The first line is the job's name and whether it is `not started`, `executing` or `finished`.
    /// Then comes a line for each unfinished task, of nested jobs too, that begins with its name and
    /// says `never queued`, `suspended` or `full` with the queue's name and who executes there,
    /// `waits for` with the dependencies' names, or `executing`. What has been executing for a
    /// second or longer says how long, and what was cancelled and executes says that it has not stopped
    /// yet. An operation that somebody else has put into an `OperationQueue` counts as never queued, for
    /// Foundation does not tell.
    ///
    /// > Thread: Any. Takes no lock that a callback could hold.
    public final func explainStall() -> String {
        explainStall(at: .now)
    }

    func explainStall(at now: CoarseTime) -> String {
        let state =
            isFinished
            ? "finished" : currentLifecycle.contains(.started) ? "executing" : "not started"
        let head = effects.isSuspended ? "\(state), suspended" : state
        var lines = ["\(label): \(isCancelled && !isFinished ? "\(head), cancelled" : head)"]
        var remaining = Array(effects.stalls(of: self).reversed())
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var queues = StalledQueues()
        while let stall = remaining.popLast() {
            guard !stall.task.isFinished else { continue }
            lines.append(stall.explanation(at: now, asking: &queues))
            guard let nested = stall.task as? JobController,
                seen.insert(ObjectIdentifier(nested)).inserted
            else { continue }
            remaining += nested.effects.stalls(of: nested).reversed()
        }
        return lines.joined(separator: "\n")
    }
}
