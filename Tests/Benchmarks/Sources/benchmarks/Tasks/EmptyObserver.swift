import JobKit

/// An observer that does nothing: what is left is the cost of telling it.
final class EmptyObserver: JobObserver {
    func job(_ job: JobController, didRecord event: JobEvent) {}
}
