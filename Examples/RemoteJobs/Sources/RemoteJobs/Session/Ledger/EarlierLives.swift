/// The state of tasks in a job's stream that this controller run has not requested yet.
///
/// A task may have been published several times, because it was retried or its job was resumed.
/// Only the latest publication counts: that of the latest run, and in one run the one with the
/// highest number. Outcomes of older publications are late and settle nothing.
struct EarlierLives<Body> {
    /// An outcome that a task of this run may reuse.
    enum Kept {
        case here(TaskOutcome<Body>)
        /// The outcome must be read again at this position, because the memory for outcomes is
        /// bounded.
        case inStream(StreamPlace)
    }

    /// The state of a task's latest publication.
    struct Known {
        var id: PublicationID
        fileprivate var rank: Rank
        var digest: UInt64?
        var runner: WorkerIdentity?
        var attempt = 0
        var kept: Kept?
        fileprivate var state = State.queued
    }

    fileprivate enum State {
        case queued
        case succeeded
        case failed
        /// It was cancelled.
        ///
        /// If this run requests the task, it is published again.
        case stopped
        /// A task of this run has taken it over.
        case taken
    }

    fileprivate struct Rank: Comparable {
        let life: Int
        let number: Int

        static func < (a: Rank, b: Rank) -> Bool { (a.life, a.number) < (b.life, b.number) }
    }

    /// The number of bytes of outcomes in memory.
    ///
    /// Further outcomes are read again when needed.
    static var keptBytesLimit: Int { 8 << 20 }

    /// Whether failures are reused.
    ///
    /// Otherwise, failed tasks are published again.
    let remembersFailures: Bool
    private var known: [TaskName: Known] = [:]
    private var lives: [String: Int] = [:]
    /// The number of bytes of outcomes that were kept while the stream was read.
    private(set) var keptBytes = 0

    init(remembersFailures: Bool = false) {
        self.remembersFailures = remembersFailures
    }

    /// Whether a publication without a known outcome exists.
    var hasQueued: Bool { known.values.contains { $0.state == .queued } }

    /// Adds a controller run, which is later than all earlier ones.
    mutating func lifeBegan(_ life: String) {
        if lives[life] == nil { lives[life] = lives.count + 1 }
    }

    /// Takes over the usable state of a task for a task of this run, if there is any.
    mutating func take(_ name: TaskName) -> Known? {
        guard let found = known[name], found.state != .taken else { return nil }
        known[name]?.state = .taken
        known[name]?.kept = nil
        switch found.state {
        case .queued, .succeeded: return found
        case .failed where remembersFailures: return found
        case .failed, .stopped, .taken: return nil
        }
    }

    mutating func queued(_ task: JobRecord<Body>.Task) {
        begin(task)
    }

    mutating func started(_ task: JobRecord<Body>.Task, _ worker: WorkerIdentity, attempt: Int) {
        begin(task)
        guard known[task.name]?.id == task.id else { return }
        known[task.name]?.runner = worker
        known[task.name]?.attempt = attempt
    }

    /// Records a publication if it is later than the known one.
    private mutating func begin(_ task: JobRecord<Body>.Task) {
        // Everything that a run has published comes after its mark in the stream.
        guard let life = lives[task.id.life] else { return }
        let rank = Rank(life: life, number: task.id.number)
        if let found = known[task.name], found.state == .taken || found.rank >= rank { return }
        known[task.name] = Known(id: task.id, rank: rank, digest: task.digest)
    }

    /// Records an outcome.
    ///
    /// - Parameters:
    ///   - task: The task and its publication.
    ///   - outcome: The outcome.
    ///   - place: The position at which the outcome can be read again, or nil.
    /// - Returns: Whether it is the first outcome of the task's latest publication.
    mutating func ended(
        _ task: JobRecord<Body>.Task,
        _ outcome: TaskOutcome<Body>,
        at place: StreamPlace?
    ) -> Bool {
        begin(task)
        guard let found = known[task.name], found.id == task.id else { return false }
        switch (found.state, outcome) {
        case (.queued, _): break
        // The publication ran twice and succeeded once.
        case (.failed, .done): break
        default: return false
        }
        known[task.name]?.digest = task.digest ?? found.digest
        switch outcome {
        case .stopped: known[task.name]?.state = .stopped
        case .done:
            known[task.name]?.state = .succeeded
            let kept = keep(outcome, at: place)
            known[task.name]?.kept = kept
        case .failed, .undeliverable:
            known[task.name]?.state = .failed
            let kept = remembersFailures ? keep(outcome, at: place) : nil
            known[task.name]?.kept = kept
        }
        return true
    }

    private mutating func keep(_ outcome: TaskOutcome<Body>, at place: StreamPlace?) -> Kept {
        guard let place else { return .here(outcome) }
        guard place.bytes <= Self.keptBytesLimit - keptBytes else { return .inStream(place) }
        keptBytes += place.bytes
        return .here(outcome)
    }

    mutating func withdrawn(_ task: JobRecord<Body>.Task) {
        guard let found = known[task.name], found.id == task.id, found.state == .queued else {
            return
        }
        known[task.name]?.state = .stopped
    }
}
