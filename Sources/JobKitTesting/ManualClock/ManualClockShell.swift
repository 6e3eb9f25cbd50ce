import JobKit

/// Owns the clock's only lock, and resumes tasks with it released.
final class ManualClockShell: Sendable {
    typealias Waiter = CheckedContinuation<ManualClockEnding, Never>
    typealias Machine = ManualClockStateMachine<Waiter>

    private let guarded = Guarded(Machine())

    var now: Duration { guarded.withLock { $0.now } }

    var nextDeadline: Duration? { guarded.withLock { $0.nextDeadline } }

    func advance(by duration: Duration) {
        send { $0.advanced(by: duration) }
    }

    func sleep(until deadline: Duration) async -> ManualClockEnding {
        await wait { $0.sleepBegan($1, until: deadline, waiter: $2) }
    }

    func wait(for goal: Machine.Goal) async {
        _ = await wait { $0.watchBegan($1, for: goal, waiter: $2) }
    }

    /// Suspends the calling task until the machine resumes it or the task is cancelled.
    private func wait(
        _ began: (inout Machine, Machine.WaiterID, Waiter) -> [Machine.Resumption]
    ) async -> ManualClockEnding {
        let id = guarded.withLock { $0.waitAnnounced() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                send { began(&$0, id, continuation) }
            }
        } onCancel: {
            send { $0.waitCancelled(id) }
        }
    }

    private func send(_ input: (inout Machine) -> [Machine.Resumption]) {
        let resumptions = guarded.withLock { input(&$0) }
        for resumption in resumptions { resumption.waiter.resume(returning: resumption.ending) }
    }
}
