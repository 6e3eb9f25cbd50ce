/// The continuous clock, which calls a closure when its time is read.
///
/// A timed operation reads it between its start and `main()`, on the starting thread.
struct AskedClock: Clock {
    private let asked: @Sendable () -> Void
    private let base = ContinuousClock()

    init(_ asked: @escaping @Sendable () -> Void) { self.asked = asked }

    var now: ContinuousClock.Instant {
        asked()
        return base.now
    }

    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}
