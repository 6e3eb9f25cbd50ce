import Foundation
import Synchronization

/// The thread of a worker, as the kernel identifies it.
struct WorkerThread: Hashable, Sendable {
    #if canImport(Darwin)
    private let port: thread_inspect_t

    /// The calling thread.
    static var current: WorkerThread {
        WorkerThread(port: pthread_mach_thread_np(pthread_self()))
    }

    /// The processor time that the thread has used, in nanoseconds, or nil if it no longer exists.
    var processorTime: UInt64? {
        info.map { info in
            Self.nanoseconds(info.user_time) + Self.nanoseconds(info.system_time)
        }
    }

    /// Whether the thread waits for something other than a core.
    var isWaiting: Bool {
        guard let state = info?.run_state else { return false }
        return state == TH_STATE_WAITING || state == TH_STATE_UNINTERRUPTIBLE
    }

    private var info: thread_basic_info? {
        var info = thread_basic_info()
        let words = MemoryLayout<thread_basic_info>.size / MemoryLayout<integer_t>.size
        var count = mach_msg_type_number_t(words)
        let status = withUnsafeMutablePointer(to: &info) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: words) {
                thread_info(port, thread_flavor_t(THREAD_BASIC_INFO), $0, &count)
            }
        }
        return status == KERN_SUCCESS ? info : nil
    }

    private static func nanoseconds(_ time: time_value_t) -> UInt64 {
        UInt64(max(0, time.seconds)) * 1_000_000_000 + UInt64(max(0, time.microseconds)) * 1_000
    }
    #else
    /// The clock of the thread's processor time, from which the thread's number can be computed.
    private let clock: clockid_t

    /// The calling thread.
    static var current: WorkerThread {
        var clock = clockid_t()
        let status = pthread_getcpuclockid(pthread_self(), &clock)
        return WorkerThread(clock: status == 0 ? clock : CLOCK_THREAD_CPUTIME_ID)
    }

    /// The processor time that the thread has used, in nanoseconds, or nil if it no longer exists.
    var processorTime: UInt64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Whether the thread waits for something other than a core.
    ///
    /// In the file, the kernel's state follows the thread's name, which may itself contain
    /// parentheses.
    var isWaiting: Bool {
        let file = open("/proc/self/task/\(~(clock >> 3))/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0, let name = buffer[..<count].lastIndex(of: UInt8(ascii: ")")),
                name + 2 < count
            else { return false }
            return [UInt8(ascii: "S"), UInt8(ascii: "D")].contains(buffer[name + 2])
        }
    }
    #endif
}

/// Publishes the activity of a worker, so that another thread can sample it.
final class WorkerActivity: Sendable {
    let thread = WorkerThread.current
    /// How many operations the worker has begun, written only by the worker.
    let began = Atomic<Int>(0)
    /// The values of the last sample, and when the worker was first seen in its current operation.
    private let last: Guarded<(time: UInt64, used: UInt64, began: Int, since: UInt64)>

    /// Creates the activity of the calling thread.
    init(at now: UInt64) {
        let used = thread.processorTime ?? 0
        last = Guarded((now, used, 0, now))
    }

    /// Samples the activity of the worker since the last sample, or since it arrived.
    ///
    /// - Parameter now: The current time, in nanoseconds.
    /// - Returns: The processor time that it used, whether it may have waited, and for how long the
    ///   worker has been in one operation. Nil if its thread no longer exists.
    func read(at now: UInt64) -> (used: UInt64, mayWait: Bool, inOperation: UInt64)? {
        let began = began.load(ordering: .relaxed)
        return last.withLock { last in
            guard now > last.time, let used = thread.processorTime else { return nil }
            let newlyUsed = used > last.used ? used - last.used : 0
            let mayWait = WorkerPoolSizer.mayWait(
                time: now - last.time,
                used: newlyUsed,
                began: began - last.began
            )
            let since = began == last.began ? last.since : now
            last = (now, used, began, since)
            return (newlyUsed, mayWait, now - since)
        }
    }
}
