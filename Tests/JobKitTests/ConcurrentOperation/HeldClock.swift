import JobKitTesting
import Synchronization

/// A clock that holds the first thread that reads it after `holdNext()`.
///
/// The held thread then gets the time that the clock had before.
final class HeldClock<Base: Clock<Duration>>: Clock {
    let wasRead = Gate()
    let mayReturn = Gate()
    private let base: Base
    private let holdsNext = Atomic(false)

    init(_ base: Base = ContinuousClock()) { self.base = base }

    func holdNext() { holdsNext.store(true, ordering: .sequentiallyConsistent) }

    var now: Base.Instant {
        let now = base.now
        if holdsNext.exchange(false, ordering: .sequentiallyConsistent) {
            wasRead.open()
            mayReturn.wait()
        }
        return now
    }

    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: Base.Instant, tolerance: Duration?) async throws {
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}
