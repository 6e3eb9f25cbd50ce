import Foundation

/// The clock of runs.
enum RunClock {
    /// Milliseconds since 1970.
    static var now: Int64 { Int64((Date.now.timeIntervalSince1970 * 1_000).rounded()) }
}
