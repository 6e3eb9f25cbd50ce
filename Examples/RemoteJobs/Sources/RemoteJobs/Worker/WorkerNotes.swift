import NIOCore

/// A worker's pending records about its tasks, except outcomes, by job.
struct WorkerNotes {
    private var started: [PublicationID: (Envelope.TaskMessage, attempt: Int)] = [:]
    private var progress: [PublicationID: (Envelope.TaskMessage, Double)] = [:]

    mutating func started(_ task: Envelope.TaskMessage, attempt: Int) {
        started[task.id] = (task, attempt)
    }

    mutating func progressed(_ task: Envelope.TaskMessage, _ fraction: Double) {
        progress[task.id] = (task, fraction)
    }

    mutating func ended(_ task: Envelope.TaskMessage) {
        started[task.id] = nil
        progress[task.id] = nil
    }

    mutating func takeStarted() -> [Name: [(JobRecord<ByteBuffer>.Task, attempt: Int)]] {
        defer { started = [:] }
        return Dictionary(grouping: started.values) { $0.0.job }
            .mapValues { entries in
                entries.map { task, attempt in (task.record, attempt: attempt) }
            }
    }

    mutating func takeProgress() -> [Name: [(JobRecord<ByteBuffer>.Task, fraction: Double)]] {
        defer { progress = [:] }
        return Dictionary(grouping: progress.values) { $0.0.job }
            .mapValues { entries in entries.map { ($0.0.record, fraction: $0.1) } }
    }
}
