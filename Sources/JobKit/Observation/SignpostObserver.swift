#if canImport(os)
/// Shows a job and its tasks in Instruments, as an interval from the start of each to its finish.
///
/// ```swift
/// job.addObserver(SignpostObserver())
/// ```
///
/// Every interval is called `Task`, begins with the operation's name and ends with its outcome. What
/// tells nobody of its start has none: an operation of Foundation's in an `OperationQueue`, and what was
/// started before the observer was added. The tasks of a ``TaskWorkflow`` are shown without an
/// observer too, as `Launch task`. One observer may observe several jobs. Apple's platforms only.
///
/// > Thread: Any. An event costs a short lock, which nobody holds while code of yours runs.
public final class SignpostObserver: JobObserver {
    private let intervals: SignpostIntervals
    /// The numbers of what has begun and not ended: several jobs may tell of one operation.
    private let open = Guarded<Set<Int>>([])

    /// Makes an observer that shows nothing yet.
    ///
    /// - Parameters:
    ///   - subsystem: The signposts' subsystem, by custom a reversed domain name of yours.
    ///   - category: Their category; nil for the Points of Interest, which Instruments shows by
    ///     themselves.
    public init(subsystem: String = "JobKit", category: String? = nil) {
        intervals = SignpostIntervals(name: "Task", subsystem: subsystem, category: category)
    }

    /// Begins or ends an interval.
    public func job(_ job: JobController, didRecord event: JobEvent) {
        let number = event.operationID
        switch event.kind {
        case .started where open.withLock({ $0.insert(number).inserted }):
            intervals.begin(number, label: event.name)
        case .finished where open.withLock({ $0.remove(number) }) != nil:
            intervals.end(number, as: event.outcome?.word ?? "finished")
        default:
            break
        }
    }
}
#endif
