import Foundation

/// A minimal queue: a lock, an array, some threads and two closures per task.
///
/// It has no priorities, dependencies, cancellation or concurrency limit. Therefore, it shows how
/// far other queues are from the optimum.
final class IdealQueue: Sendable {
    typealias Closure = @Sendable () -> Void

    private struct State {
        var tasks: [(work: Closure, completion: Closure)] = []
        var next = 0
        var sleeping = 0
        var isClosed = false
    }

    /// Guards the state.
    ///
    /// A `Mutex` would hand the lock to waiting threads in turn on Linux. With eight threads adding
    /// at the same time on two cores, a task then took 7–36 µs. With this lock it takes 0.4 µs.
    private let lock = NSLock()
    nonisolated(unsafe) private var state = State()
    private let wakeUp = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let threadCount: Int

    /// Starts the threads, which run until ``close()``.
    init(threadCount: Int = 2) {
        self.threadCount = threadCount
        for _ in 0..<threadCount {
            Thread { [self] in
                runTasks()
                ended.signal()
            }
            .start()
        }
    }

    /// Adds a task.
    ///
    /// Its work and completion run on one of the threads.
    func add(_ work: @escaping Closure = {}, completion: @escaping Closure) {
        let mustWake = lock.withLock {
            state.tasks.append((work, completion))
            guard state.sleeping > 0 else { return false }
            state.sleeping -= 1
            return true
        }
        guard mustWake else { return }
        wakeUp.signal()
    }

    /// Waits until the threads have run all tasks, and ends them.
    func close() {
        let sleeping = lock.withLock {
            state.isClosed = true
            defer { state.sleeping = 0 }
            return state.sleeping
        }
        for _ in 0..<sleeping { wakeUp.signal() }
        for _ in 0..<threadCount { ended.wait() }
    }

    private func runTasks() {
        while true {
            let (task, isClosed) = lock.withLock { Self.take(&state) }
            if let task {
                task.work()
                task.completion()
            } else if isClosed {
                return
            } else {
                wakeUp.wait()
            }
        }
    }

    private static func take(
        _ state: inout State
    ) -> (task: (work: Closure, completion: Closure)?, isClosed: Bool) {
        if state.next < state.tasks.count {
            let task = state.tasks[state.next]
            state.next += 1
            return (task, state.isClosed)
        }
        state.tasks.removeAll(keepingCapacity: true)
        state.next = 0
        if !state.isClosed { state.sleeping += 1 }
        return (nil, state.isClosed)
    }
}
