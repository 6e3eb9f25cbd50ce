import JobKit

/// Is told of every event and does nothing with it.
final class IdleObserver: JobObserver {
    func job(_ job: JobController, didRecord event: JobEvent) {}
}
