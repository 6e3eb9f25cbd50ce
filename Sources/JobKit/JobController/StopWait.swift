import Dispatch

/// The wait of one caller for a job's finish, which may be given up.
final class StopWait: Sendable {
    private struct State {
        var waiter: FinishWaiter?
        var isGivenUp = false
    }

    private let state = Guarded(State())

    /// Waits until the job has finished, or was cancelled before it was started.
    ///
    /// - Returns: Whether it has; false if the wait was given up before.
    func untilStopped(_ job: JobController) async -> Bool {
        await withUnsafeContinuation { continuation in
            let waiter = FinishWaiter(continuation)
            let isGivenUp = state.withLock { state in
                state.waiter = waiter
                return state.isGivenUp
            }
            if isGivenUp || !job.hooks.withLock({ $0.addWaiter(waiter) }) { waiter.resume() }
        }
        return job.hooks.withLock { $0.isClosed || $0.willNeverRun }
    }

    /// Gives up after some time by the machine's clock, on a thread that no blocked operation
    /// holds.
    func giveUp(after limit: Duration) {
        guard limit > .zero else { return giveUp() }
        // Beyond what the clock can add means never.
        guard let delay = limit.dispatchInterval else { return }
        DispatchQueue(label: "JobKit.run")
            .asyncAfter(deadline: .now() + delay) { [weak self] in
                self?.giveUp()
            }
    }

    private func giveUp() {
        let waiter = state.withLock { state in
            state.isGivenUp = true
            return state.waiter
        }
        waiter?.resume()
    }
}
