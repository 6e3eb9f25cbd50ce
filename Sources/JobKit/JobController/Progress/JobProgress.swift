import Foundation
import Synchronization

/// Advances the `Progress` of one job, from any thread, and never back.
///
/// The total is fixed, so that no reader sees a fraction between two changes of counts. One thread
/// at a time writes; who finds another writing leaves its share to it.
final class JobProgress: Sendable {
    let progress: Progress
    private let bits = Atomic<UInt64>(0)
    private let turn = DeliveryTurn()

    /// Divisible by all numbers to 40, so that the shares of few tasks are exact.
    private static let total: Int64 = 5_342_931_457_063_200

    /// Makes a progress that calls `cancel` when it is cancelled.
    init(cancel: @escaping @Sendable () -> Void) {
        progress = Progress(parent: nil, userInfo: nil)
        progress.totalUnitCount = Self.total
        progress.isCancellable = true
        progress.cancellationHandler = cancel
    }

    /// Advances to `fraction`, from 0 to 1, if that is more than before.
    func advance(to fraction: Double) {
        // Positive floating-point numbers are in the order of their bit patterns.
        bits.max(fraction.bitPattern, ordering: .acquiringAndReleasing)
        guard turn.claim() == .taken else { return }
        var seen = turn.seen
        write(Double(bitPattern: bits.load(ordering: .acquiring)))
        while !turn.giveBack(seen) {
            seen = turn.seen
            write(Double(bitPattern: bits.load(ordering: .acquiring)))
        }
    }

    private func write(_ fraction: Double) {
        let count = Int64((fraction * Double(Self.total)).rounded())
        let limit = fraction < 1 ? Self.total - 1 : Self.total
        if count > progress.completedUnitCount { progress.completedUnitCount = min(count, limit) }
    }
}
