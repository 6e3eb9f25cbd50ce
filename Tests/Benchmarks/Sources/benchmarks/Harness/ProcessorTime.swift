import Foundation

/// Processor time, in nanoseconds.
enum ProcessorTime {
    /// The processor time of all threads of the process.
    static var ofProcess: UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// The processor time of the calling thread.
    static var ofThread: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
