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

/// Lets another thread run.
func giveWay() { sched_yield() }

/// Waits for another thread, which is seen at once where it runs on another core.
func spin(until condition: () -> Bool) {
    var looks = 0
    while !condition() {
        looks += 1
        if looks.isMultiple(of: 500) { giveWay() }
    }
}
