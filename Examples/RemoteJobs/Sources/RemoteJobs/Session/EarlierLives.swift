/// What a job's stream says of tasks that this life of its controller has not asked for yet.
struct EarlierLives<Body> {
    /// What is known of a task.
    struct Known {
        var id: PublicationID
        var digest: UInt64?
        var runner: WorkerIdentity?
        var attempt = 0
        var outcome: TaskOutcome<Body>?
        /// Whether a task of this life has taken it over.
        var isTaken = false
    }

    private var known: [String: Known] = [:]

    /// How many tasks an earlier life has published or finished, and none of this life has taken.
    var untakenCount: Int { known.values.count { !$0.isTaken } }

    /// Takes what is known of a key, if anything is, for a task of this life.
    mutating func take(_ key: String) -> Known? {
        guard let found = known[key], !found.isTaken else { return nil }
        known[key]?.isTaken = true
        known[key]?.outcome = nil
        return found
    }

    mutating func queued(_ task: JobRecord<Body>.Task) {
        guard known[task.key]?.id != task.id else { return }
        if known[task.key]?.outcome == nil {
            known[task.key] = Known(id: task.id, digest: task.digest)
        }
    }

    mutating func started(_ task: JobRecord<Body>.Task, _ worker: WorkerIdentity, attempt: Int) {
        if known[task.key] == nil {
            known[task.key] = Known(id: task.id, digest: task.digest)
        }
        known[task.key]?.runner = worker
        known[task.key]?.attempt = attempt
    }

    /// Keeps an outcome.
    ///
    /// - Returns: Whether it is news: the first outcome of its task.
    mutating func ended(_ task: JobRecord<Body>.Task, _ outcome: TaskOutcome<Body>) -> Bool {
        if let found = known[task.key], found.isTaken || found.outcome != nil { return false }
        if case .stopped = outcome {
            // Whoever resumes the job wants what was stopped.
            known[task.key] = nil
            return true
        }
        let digest = task.digest ?? known[task.key]?.digest
        known[task.key] = Known(id: task.id, digest: digest, outcome: outcome)
        return true
    }

    mutating func withdrawn(_ task: JobRecord<Body>.Task) {
        guard let found = known[task.key], found.id == task.id, found.outcome == nil else { return }
        known[task.key] = nil
    }
}
