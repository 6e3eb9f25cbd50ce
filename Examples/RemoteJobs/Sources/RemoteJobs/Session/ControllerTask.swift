/// One task as its controller sees it.
///
/// parked (its route's queues are not declared yet: the broker would drop it) → waiting →
/// publishing → queued → running. One whose outcome an earlier life has, and only its place is
/// known, is reading. The first outcome of its publication settles it, from any of these.
struct ControllerTask<Entry> {
    enum State: Hashable {
        case parked
        case waiting
        case publishing
        /// The broker has it. With a ``runner``, it is running.
        case queued
        /// Its outcome is read again in the job's stream.
        case reading
    }

    /// Who runs a task.
    struct Runner: Hashable {
        let worker: WorkerIdentity
        /// Which delivery of the task it is, from 1.
        let attempt: Int
    }

    let entry: Entry
    let route: Name
    let digest: UInt64
    var id: PublicationID
    var state: State
    /// Who was last heard to begin with it, as far as is known.
    var runner: Runner?
    /// What a broker has said that cut its worker off for holding it too long.
    var overdue: String?
    /// Whether its cancel was asked for.
    var isCancelled = false
    /// Whether its publishing may have been lost with a connection.
    var isInDoubt = false

    /// Whether the broker may have it.
    var isOut: Bool {
        switch state {
        case .publishing, .queued: true
        case .parked, .waiting, .reading: isInDoubt
        }
    }
}
