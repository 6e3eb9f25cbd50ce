import Dispatch
import Foundation

/// Lets other threads run for about so many microseconds.
///
/// The clock ends the pause, not a count: on a busy machine a `sched_yield()` may take a whole slice
/// of time.
func giveWay(forMicroseconds microseconds: Int) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(microseconds) * 1_000
    while DispatchTime.now().uptimeNanoseconds < end { sched_yield() }
}
