import Foundation

/// Work that takes a given time of the processor, however often its thread is interrupted.
struct ProcessorWork: Sendable {
    /// How long the work takes.
    let nanoseconds: UInt64

    /// Does the work on the calling thread.
    func perform() {
        let end = Self.threadTime + nanoseconds
        while Self.threadTime < end {}
    }

    /// The processor time that the calling thread has used, in nanoseconds.
    private static var threadTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
