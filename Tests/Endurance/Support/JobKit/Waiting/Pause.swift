import Dispatch
import Foundation

/// Lets other threads run for about the given number of microseconds.
///
/// A clock ends the pause, because a single `sched_yield()` may take a whole time slice on a busy
/// machine.
func giveWay(forMicroseconds microseconds: Int) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(microseconds) * 1_000
    while DispatchTime.now().uptimeNanoseconds < end { sched_yield() }
}

/// Lets another thread run.
func giveWay() { sched_yield() }

/// Spins until another thread makes the condition true, which is seen at once on another core.
func spin(until condition: () -> Bool) {
    var looks = 0
    while !condition() {
        looks += 1
        if looks.isMultiple(of: 500) { giveWay() }
    }
}
