import Synchronization

/// Lets code that submits early wait until the server is serving.
///
/// > Thread: Any.
final class Opening: Sendable {
    private enum Phase {
        case waiting([CheckedContinuation<Runner?, Never>])
        case open(Runner)
        case closed
    }

    private let phase = Mutex(Phase.waiting([]))

    func open(_ runner: Runner) { pass(.open(runner), runner) }
    func close() { pass(.closed, nil) }

    /// Returns the runner once the server is serving.
    ///
    /// - Throws: ``JobServiceError/notServing`` if the server has ended or could not start.
    func runner() async throws(JobServiceError) -> Runner {
        let runner = await withCheckedContinuation {
            (waiter: CheckedContinuation<Runner?, Never>) in
            let known = phase.withLock { phase -> Runner?? in
                switch phase {
                case .open(let runner): return .some(runner)
                case .closed: return .some(nil)
                case .waiting(let waiters):
                    phase = .waiting(waiters + [waiter])
                    return nil
                }
            }
            if let known { waiter.resume(returning: known) }
        }
        guard let runner else { throw .notServing }
        return runner
    }

    private func pass(_ next: consuming Phase, _ runner: Runner?) {
        let next = next
        let waiters = phase.withLock { phase -> [CheckedContinuation<Runner?, Never>] in
            defer { phase = next }
            if case .waiting(let waiters) = phase { return waiters }
            return []
        }
        for waiter in waiters { waiter.resume(returning: runner) }
    }
}
