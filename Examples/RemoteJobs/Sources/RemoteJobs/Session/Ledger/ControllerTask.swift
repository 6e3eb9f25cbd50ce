/// The state of one task in its controller.
///
/// A task is parked while its route's queues are not declared, because the broker would drop it.
/// Then it is waiting, publishing, queued and running. If an earlier run has its outcome and only
/// the position of the outcome is known, it is reading. The first outcome of its publication
/// settles it in any of these states.
struct ControllerTask<Entry> {
    enum State: Hashable {
        case parked
        case waiting
        case publishing
        /// The broker has it.
        ///
        /// If it has a ``runner``, it is running.
        case queued
        /// Its outcome is being read again from the job's stream.
        case reading
    }

    /// The worker that runs a task.
    struct Runner: Hashable {
        let worker: WorkerIdentity
        /// The number of this delivery of the task, from 1.
        let attempt: Int
    }

    let entry: Entry
    let route: Name
    let digest: UInt64
    var id: PublicationID
    var state: State
    /// The latest worker that reported its start, if any.
    var runner: Runner?
    /// The broker's reason for disconnecting the worker that held it too long.
    var overdue: String?
    /// Whether its cancellation was requested.
    var isCancelled = false
    /// Whether its publication may have been lost with a connection.
    var isInDoubt = false

    /// Whether the broker may have it.
    var isOut: Bool {
        switch state {
        case .publishing, .queued: true
        case .parked, .waiting, .reading: isInDoubt
        }
    }
}
