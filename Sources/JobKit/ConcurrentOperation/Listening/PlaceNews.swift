/// What a queue has yet to hear of the place of a job in it: that the job is busy, or waits.
///
/// A worker that delivers to a job tells its queue with what it asks there next, for one locking.
/// A thread that delivers elsewhere tells at once.
struct PlaceNews {
    /// The queue whose worker delivers; nil where the news is told at once.
    private let queue: ObjectIdentifier?
    /// The job that the queue has to hear of.
    private var job: ConcurrentOperation?

    /// Makes news that is told at once.
    init() { queue = nil }

    /// Makes news that a worker of a queue tells.
    init(for queue: any QueueHome) { self.queue = ObjectIdentifier(queue) }

    /// Notes a job whose place is in a queue; returns false if that must be told at once.
    @inline(__always)
    mutating func keep(_ job: ConcurrentOperation, in queue: any QueueHome) -> Bool {
        guard self.queue == ObjectIdentifier(queue) else { return false }
        self.job = job
        return true
    }

    /// Takes out the job, to tell of it.
    @inline(__always)
    mutating func take() -> ConcurrentOperation? { job.take() }
}
