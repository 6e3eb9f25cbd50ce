import Foundation

/// Advances the `Progress` of one job from any thread, and never moves it back.
///
/// The total is fixed, so no reader sees a fraction between two changes of counts. Only one thread
/// writes at a time. The others leave their updates to it.
final class JobProgress: Sendable {
    let progress: Progress
    private let furthest = ReportedFraction()
    private let token = DrainToken()

    /// Divisible by all numbers up to 40, so the shares of few tasks are exact.
    private static let total: Int64 = 5_342_931_457_063_200

    /// Creates a progress that calls `cancel` when it is cancelled.
    init(cancel: @escaping @Sendable () -> Void) {
        progress = Progress(parent: nil, userInfo: nil)
        progress.totalUnitCount = Self.total
        progress.isCancellable = true
        progress.cancellationHandler = cancel
    }

    /// Advances to `fraction`, from 0 to 1, if that is higher than before.
    func advance(to fraction: Double) {
        guard furthest.advance(to: fraction), token.acquire() else { return }
        var pending: Int
        repeat {
            pending = token.pending
            let fraction = furthest.value ?? 0
            let limit = fraction < 1 ? Self.total - 1 : Self.total
            progress.completedUnitCount =
                min(Int64((fraction * Double(Self.total)).rounded()), limit)
        } while !token.release(pending)
    }
}
