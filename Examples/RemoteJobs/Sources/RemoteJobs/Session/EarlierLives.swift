/// What a job's stream says of tasks that this life of its controller has not asked for yet.
///
/// A task may have been published several times, since it was retried or its job was resumed. What
/// counts is the latest publication: a later life's, or of one life the one with the higher number.
/// Whatever comes of an older one is late, and settles nothing.
struct EarlierLives<Body> {
    /// An outcome that a task of this life may take over.
    enum Kept {
        case here(TaskOutcome<Body>)
        /// To be read again where it stands: what is kept of all outcomes is bounded.
        case inStream(StreamPlace)
    }

    /// What is known of a task's latest publication.
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
        /// It was cancelled: a task of this life is published anew.
        case stopped
        /// A task of this life has taken it over.
        case taken
    }

    fileprivate struct Rank: Comparable {
        let life: Int
        let number: Int

        static func < (a: Rank, b: Rank) -> Bool { (a.life, a.number) < (b.life, b.number) }
    }

    /// How many bytes of outcomes are kept here; the others are read again when they are needed.
    static var keptBytesLimit: Int { 8 << 20 }

    /// Whether a failure is an outcome that is taken over; if not, its task is published anew.
    let remembersFailures: Bool
    private var known: [TaskName: Known] = [:]
    private var lives: [String: Int] = [:]
    /// How many bytes of outcomes were kept when they were read.
    private(set) var keptBytes = 0

    init(remembersFailures: Bool = false) {
        self.remembersFailures = remembersFailures
    }

    /// Whether something was published of which no outcome is known.
    var hasQueued: Bool { known.values.contains { $0.state == .queued } }

    /// A life of the controller has begun, later than those before.
    mutating func lifeBegan(_ life: String) {
        if lives[life] == nil { lives[life] = lives.count + 1 }
    }

    /// Takes what is known of a task, if anything is, for a task of this life.
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

    /// Notes a publication, if it is later than the one that is known.
    private mutating func begin(_ task: JobRecord<Body>.Task) {
        // Whatever a life has published stands behind its mark.
        guard let life = lives[task.id.life] else { return }
        let rank = Rank(life: life, number: task.id.number)
        if let found = known[task.name], found.state == .taken || found.rank >= rank { return }
        known[task.name] = Known(id: task.id, rank: rank, digest: task.digest)
    }

    /// Takes an outcome.
    ///
    /// - Parameters:
    ///   - task: The task and its publication.
    ///   - outcome: What it came to.
    ///   - place: Where the outcome can be read again; nil if nowhere.
    /// - Returns: Whether it is news: the first outcome of the task's latest publication.
    mutating func ended(
        _ task: JobRecord<Body>.Task,
        _ outcome: TaskOutcome<Body>,
        at place: StreamPlace?
    ) -> Bool {
        begin(task)
        guard let found = known[task.name], found.id == task.id else { return false }
        switch (found.state, outcome) {
        case (.queued, _): break
        // The publication ran twice, and once it went well.
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
