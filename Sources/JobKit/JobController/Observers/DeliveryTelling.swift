import Synchronization

/// Whether observers are being told that a task's callbacks have returned, which the end of a job
/// that is given up waits for: its own finish is their last event (R2).
///
/// One thread at a time delivers, so one telling at a time is under way.
struct DeliveryTelling: ~Copyable, Sendable {
    private static let underWay: UInt8 = 1
    private static let isAwaited: UInt8 = 2

    private let state = Atomic<UInt8>(0)

    /// A telling begins, before the job is asked whether it was given up.
    func begin() { state.store(Self.underWay, ordering: .sequentiallyConsistent) }

    /// The telling has ended; returns whether the end of the job waits for it.
    func end() -> Bool {
        state.exchange(0, ordering: .sequentiallyConsistent) == Self.isAwaited
    }

    /// The job is about to end; returns whether the thread that tells has to end it afterwards.
    func mustBeAwaited() -> Bool {
        state.compareExchange(
            expected: Self.underWay,
            desired: Self.isAwaited,
            ordering: .sequentiallyConsistent
        )
        .original != 0
    }
}
