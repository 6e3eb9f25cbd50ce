#if canImport(os)
/// Shows a job and its tasks in Instruments, as an interval from the start of each to its finish.
///
/// ```swift
/// job.addObserver(SignpostObserver())
/// ```
///
/// Every interval is called `Task`, begins with the operation's name and ends with its outcome. A
/// plain operation in an `OperationQueue`, or an operation that was started before the observer was
/// added, has no interval. The tasks of a ``TaskWorkflow`` are shown without an observer, as
/// `Launch task`. One observer may observe several jobs. Available on Apple's platforms only.
///
/// > Thread: Any. An event takes a short lock, which is not held while your code runs.
public final class SignpostObserver: JobObserver {
    private let intervals: SignpostIntervals
    /// The numbers of the operations with an open interval, because several jobs may report the
    /// same one.
    private let open = Guarded<Set<Int>>([])

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - subsystem: The signposts' subsystem, by convention a reversed domain name.
    ///   - category: The signposts' category. Nil for Points of Interest, which Instruments shows
    ///     by default.
    public init(subsystem: String = "JobKit", category: String? = nil) {
        intervals = SignpostIntervals(name: "Task", subsystem: subsystem, category: category)
    }

    /// Begins or ends the interval of an event's operation.
    public func job(_ job: JobController, didRecord event: JobEvent) {
        let number = event.operationID
        switch event.kind {
        case .started where intervals.isEnabled && open.withLock({ $0.insert(number).inserted }):
            intervals.begin(number, label: event.name)
        case .finished where open.withLock({ $0.remove(number) }) != nil:
            intervals.end(number, as: event.outcome?.description ?? "finished")
        default:
            break
        }
    }
}
#endif
