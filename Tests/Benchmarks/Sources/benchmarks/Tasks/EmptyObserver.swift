import JobKit

/// An observer that does nothing, which leaves the cost of notifying it.
final class EmptyObserver: JobObserver {
    func job(_ job: JobController, didRecord event: JobEvent) {}
}
