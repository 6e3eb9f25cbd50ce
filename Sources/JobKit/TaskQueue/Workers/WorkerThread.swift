import Foundation
import Synchronization

/// A thread of a worker, as the kernel knows it.
struct WorkerThread: Hashable, Sendable {
    #if canImport(Darwin)
    private let port: thread_inspect_t

    /// The calling thread.
    static var current: WorkerThread {
        WorkerThread(port: pthread_mach_thread_np(pthread_self()))
    }

    /// The processor time that it has used, in nanoseconds; nil if it is no more.
    var processorTime: UInt64? {
        info.map { info in
            Self.nanoseconds(info.user_time) + Self.nanoseconds(info.system_time)
        }
    }

    /// Whether it waits for something other than a core.
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
    /// The clock of its processor time, from which its number can be told.
    private let clock: clockid_t

    /// The calling thread.
    static var current: WorkerThread {
        var clock = clockid_t()
        let status = pthread_getcpuclockid(pthread_self(), &clock)
        return WorkerThread(clock: status == 0 ? clock : CLOCK_THREAD_CPUTIME_ID)
    }

    /// The processor time that it has used, in nanoseconds; nil if it is no more.
    var processorTime: UInt64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Whether it waits for something other than a core.
    ///
    /// The kernel's state stands behind the thread's name, which may hold parentheses of its own.
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

/// A worker while it is at work, for the looks from another thread.
final class WorkerBadge: Sendable {
    let thread = WorkerThread.current
    /// How many operations it has begun: written by the worker alone.
    let began = Atomic<Int>(0)
    private let last: Guarded<Reading>

    /// What was read of it.
    private struct Reading {
        let time: UInt64
        let used: UInt64
        let began: Int
        /// Since when it has been in one operation.
        let since: UInt64
    }

    /// Makes the badge of the calling thread.
    init(at now: UInt64) {
        let used = thread.processorTime ?? 0
        last = Guarded(Reading(time: now, used: used, began: 0, since: now))
    }

    /// Reads what the worker has done since it was read last, or came.
    ///
    /// - Parameter now: The time, in nanoseconds.
    /// - Returns: That, and for how long it has been in one operation; nil if its thread is no more.
    func read(at now: UInt64) -> (use: ThreadUse, inOperation: UInt64)? {
        let began = began.load(ordering: .relaxed)
        return last.withLock { last in
            guard now > last.time, let used = thread.processorTime else { return nil }
            let use = ThreadUse(
                time: now - last.time,
                used: used > last.used ? used - last.used : 0,
                began: began - last.began
            )
            let since = use.began == 0 ? last.since : now
            last = Reading(time: now, used: used, began: began, since: since)
            return (use, now - since)
        }
    }
}
