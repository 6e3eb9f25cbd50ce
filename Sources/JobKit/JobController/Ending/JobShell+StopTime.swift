import Dispatch
import Foundation

/// Leaves a job's tasks when its `maximumStopTime` has passed (O11).
///
/// The time counts from the decision about the end. The job stops waiting for its tasks, as with
/// ``TaskCancellation/cancelWithoutWaiting``, and ends as usual. It still waits for its own code.
extension JobShell {
    /// Stops waiting for all tasks of an ending job, on a thread that may run observers' code.
    func leaveTasks() {
        DispatchQueue(label: "JobKit.maximumStopTime")
            .async { [self] in
                guard let (records, isAbandoned) = send({ $0.stopTimePassed() }) else { return }
                if isAbandoned { startedJob?.record(.abandoned) }
                for record in records { stopWaiting(for: record) }
                deliverElsewhere()
            }
    }
}
