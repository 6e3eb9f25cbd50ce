import Foundation

/// A position in the source.
package struct Site: Sendable {
    package let file: StaticString
    package let line: UInt

    package init(_ file: StaticString, _ line: UInt) { (self.file, self.line) = (file, line) }

    var text: String { "\(file):\(line)" }
}

/// A thread of a schedule.
///
/// It runs on a thread of the system, which waits whenever another virtual thread runs. Its state
/// is `@unchecked Sendable` because only the thread that holds the baton uses it.
package final class VirtualThread: @unchecked Sendable {
    private(set) var id: Int
    let name: String
    private(set) var schedule: Schedule
    var body: (() -> Void)?
    var runner: Runner?

    /// The lock, semaphore or condition that the thread waits for.
    var waitsFor: ObjectIdentifier?
    var condition: (() -> Bool)?
    /// The progress of the schedule when the thread began to wait until no other thread can run.
    var idlePoint: Int?
    var isReady = true
    var hasEnded = false
    /// Whether the schedule may end although the thread has not.
    var isDaemon = false
    /// While positive, only a wait lets other threads run.
    var unswitchable = 0
    var site = Site("start", 0)
    /// How often the thread has been at this site without a point elsewhere.
    var repetitions = 0
    var pointCount = 0
    /// Everything that comes before the thread's next access.
    var clock = Clock()
    var turn = Turn()

    init(id: Int, name: String, schedule: Schedule, body: @escaping () -> Void) {
        (self.id, self.name, self.schedule, self.body) = (id, name, schedule, body)
    }

    /// Moves a daemon, which waits, to the next schedule.
    func move(to schedule: Schedule, id: Int) {
        (self.schedule, self.id) = (schedule, id)
        (pointCount, clock, turn) = (0, Clock(), Turn())
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The virtual thread that the calling thread runs, if a schedule is running.
    static var current: VirtualThread? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        let thread = Unmanaged<VirtualThread>.fromOpaque(pointer).takeUnretainedValue()
        if thread.schedule.isAbandoned, !thread.hasEnded { Runner.stop() }
        return thread
    }

    static func setCurrent(_ thread: VirtualThread?) {
        pthread_setspecific(key, thread.map { Unmanaged.passUnretained($0).toOpaque() })
    }
}

/// A thread of the system that runs virtual threads, one after another.
final class Runner: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var hasBaton = false
    private var thread: VirtualThread?

    private static let pool = NSLock()
    nonisolated(unsafe) private static var idle: [Runner] = []

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    /// Starts a virtual thread on an idle thread of the system.
    static func start(_ thread: VirtualThread) {
        let known = pool.withLock { idle.popLast() }
        let runner = known ?? Runner()
        thread.runner = runner
        runner.thread = thread
        if known == nil {
            let new = Thread { runner.loop() }
            new.stackSize = 1 << 20
            new.start()
        }
        runner.pass()
    }

    /// Lets this thread run.
    func pass() {
        pthread_mutex_lock(mutex)
        hasBaton = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until this thread may run.
    ///
    /// Returns false after a number of seconds.
    @discardableResult
    func wait(seconds: Int? = nil) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var limit = timespec()
        clock_gettime(CLOCK_REALTIME, &limit)
        limit.tv_sec += seconds ?? 0
        while !hasBaton {
            if seconds == nil {
                pthread_cond_wait(condition, mutex)
            } else if pthread_cond_timedwait(condition, mutex, &limit) != 0 {
                return false
            }
        }
        hasBaton = false
        return true
    }

    private func loop() {
        while true {
            wait()
            guard let thread else { continue }
            VirtualThread.setCurrent(thread)
            thread.body?()
            thread.body = nil
            self.thread = nil
            let schedule = thread.schedule
            thread.hasEnded = true
            // Nothing of the thread remains when another one continues.
            VirtualThread.setCurrent(nil)
            Runner.pool.withLock { Runner.idle.append(self) }
            schedule.threadEnded(thread)
        }
    }

    /// Blocks the calling thread forever, because its schedule was abandoned.
    static func stop() -> Never {
        while true { sleep(1_000) }
    }
}
