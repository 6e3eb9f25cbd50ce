import Foundation

/// Advances the `Progress` of one job, from any thread, and never back.
///
/// The total is fixed, so that no reader sees a fraction between two changes of counts. One thread
/// at a time writes, and the others leave their shares to it.
final class JobProgress: Sendable {
    let progress: Progress
    private let furthest = ReportedFraction()
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
        guard furthest.advance(to: fraction), turn.claim() == .taken else { return }
        var seen: DeliveryTurn.Seen
        repeat {
            seen = turn.seen
            let fraction = furthest.value ?? 0
            let limit = fraction < 1 ? Self.total - 1 : Self.total
            progress.completedUnitCount =
                min(Int64((fraction * Double(Self.total)).rounded()), limit)
        } while !turn.giveBack(seen)
    }
}
