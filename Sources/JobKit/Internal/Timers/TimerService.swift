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

    /// The timers of every `ContinuousClock`.
    static let continuous = TimerService(on: .continuous)
    /// The timers of every `SuspendingClock`.
    static let suspending = TimerService(on: .suspending)

    private let clock: SystemClock
    private let machine = Guarded(Machine())
    private let semaphore = DispatchSemaphore(value: 0)

    /// The longest sleep of the thread while timers wait, in nanoseconds.
    ///
    /// The semaphore's clock stops while the machine is suspended.
    private static let longestSleep: Int64 = 5_000_000_000

    /// Starts the thread.
    private init(on clock: SystemClock) {
        self.clock = clock
        Thread.detachNewThread { [self] in run() }
    }

    /// Calls a target when the time has come.
    func add(_ body: Body, at deadline: Int64) -> Machine.ID {
        let (id, action) = machine.withLock { $0.timerAdded(body, at: deadline) }
        perform(action)
        return id
    }

    /// Drops a timer that is not due yet.
    func cancel(_ id: Machine.ID) {
        // Released without the lock.
        let body = machine.withLock { $0.timerCancelled(id) }
        withExtendedLifetime(body) {}
    }

    /// Calls a target at once, on a worker.
    func call(_ body: Body) {
        perform(machine.withLock { $0.bodyBecameDue(body) })
    }

    private func perform(_ action: Machine.Action) {
        switch action {
        case .nothing: break
        case .wakeThread: semaphore.signal()
        case .startWorker:
            // A new serial queue has its own thread.
            DispatchQueue(label: "JobKit timers")
                .async { [self] in
                    while let body = machine.withLock({ $0.workerTakes() }) {
                        body.target.timerPassed(body.id)
                    }
                }
        }
    }

    private func run() {
        Thread.current.name = "JobKit timers"
        while true {
            let now = clock.now
            let (action, wakeTime) = machine.withLock { $0.threadWoke(at: now) }
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
