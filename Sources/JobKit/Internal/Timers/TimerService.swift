import Dispatch
import Foundation

/// The timers of all limits and delays on one clock of the system.
///
/// One thread waits for the next deadline and runs no user code. Workers call the targets that are
/// due, each worker on its own thread. If a worker is blocked, another one continues, so that no
/// code delays another limit.
final class TimerService: Sendable {
    typealias Machine = TimerStateMachine<Body>

    /// The target that a timer calls.
    struct Body: Sendable {
        let target: any TimerTarget
        let id: Int
    }

    private struct State {
        var machine = Machine()
        var hasThread = false
        var workers: [DispatchQueue] = []

        mutating func queue(of worker: Int) -> DispatchQueue {
            while worker >= workers.count {
                workers.append(DispatchQueue(label: "JobKit timers \(workers.count)"))
            }
            return workers[worker]
        }
    }

    /// The timers of every `ContinuousClock`.
    static let continuous = TimerService(on: .continuous)
    /// The timers of every `SuspendingClock`.
    static let suspending = TimerService(on: .suspending)

    private let clock: SystemClock
    private let guarded = Guarded(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// The longest sleep of the thread while timers wait, in nanoseconds.
    ///
    /// The semaphore's clock stops while the machine is suspended.
    private static let longestSleep: Int64 = 5_000_000_000

    private init(on clock: SystemClock) { self.clock = clock }

    /// Calls a target when the time has come.
    func add(_ body: Body, at deadline: Int64) -> Machine.ID {
        send { $0.timerAdded(body, at: deadline) }
    }

    /// Drops a timer that is not due yet.
    func cancel(_ id: Machine.ID) {
        // Released without the lock.
        let body = guarded.withLock { $0.machine.timerCancelled(id) }
        withExtendedLifetime(body) {}
    }

    /// Calls a target at once, on a worker.
    func call(_ body: Body) {
        send { ((), $0.bodyBecameDue(body)) }
    }

    /// Feeds one input to the machine, and performs its action.
    ///
    /// The first call starts the thread.
    private func send<Result: Sendable>(
        _ input: (inout Machine) -> (Result, Machine.Action)
    ) -> Result {
        let (result, action, startsThread) = guarded.withLock { state in
            let (result, action) = input(&state.machine)
            return (result, action, !exchange(&state.hasThread, with: true))
        }
        if startsThread { Thread.detachNewThread { [self] in run() } }
        perform(action)
        return result
    }

    private func perform(_ action: Machine.Action) {
        if action.wakesThread { semaphore.signal() }
        guard let worker = action.startsWorker else { return }
        let queue = guarded.withLock { $0.queue(of: worker) }
        queue.async { [self] in
            while let body = guarded.withLock({ $0.machine.workerTakes(worker) }) {
                body.target.timerPassed(body.id)
            }
        }
    }

    private func run() {
        Thread.current.name = "JobKit timers"
        while true {
            let now = clock.now
            let (action, wakeTime) = guarded.withLock { $0.machine.threadWoke(at: now) }
            perform(action)
            if wakeTime == .max {
                semaphore.wait()
            } else {
                let sleep = min(max(0, wakeTime - clock.now), Self.longestSleep)
                _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(sleep)))
            }
        }
    }
}
