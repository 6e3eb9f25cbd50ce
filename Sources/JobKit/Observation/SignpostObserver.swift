#if canImport(os)
import os

/// Shows a job and its tasks in Instruments, as an interval from the start of each to its finish.
///
/// ```swift
/// job.addObserver(SignpostObserver())
/// ```
///
/// Every interval is called `Task`, begins with the operation's name and ends with its outcome. A
/// plain operation in an `OperationQueue`, or an operation that was started before the observer was
/// added, has no interval. One observer may observe several jobs. Available on Apple's platforms
/// only.
///
/// > Thread: Any. An event takes a short lock, which is not held while your code runs.
public final class SignpostObserver: JobObserver {
    private static let name: StaticString = "Task"

    private let signposter: OSSignposter
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
        signposter =
            category.map { OSSignposter(subsystem: subsystem, category: $0) }
            ?? OSSignposter(subsystem: subsystem, category: .pointsOfInterest)
    }

    /// Begins or ends the interval of an event's operation.
    public func job(_ job: JobController, didRecord event: JobEvent) {
        let number = event.operationID
        let id = OSSignpostID(UInt64(number))
        switch event.kind {
        case .started where signposter.isEnabled && open.withLock({ $0.insert(number).inserted }):
            let label = event.name
            _ = signposter.beginInterval(Self.name, id: id, "\(label, privacy: .public)")
        case .finished where open.withLock({ $0.remove(number) }) != nil:
            let outcome = event.outcome?.description ?? "finished"
            let state = OSSignpostIntervalState.beginState(id: id)
            signposter.endInterval(Self.name, state, "\(outcome, privacy: .public)")
        default:
            break
        }
    }
}
#endif
