import Foundation

/// The words of `explainStall` for what stands in several of its lines.
enum StallWords {
    static let unready = "not ready: its own isReady says no"

    /// ` for 3 s` and its like; empty for less than a second.
    static func time(since start: CoarseTime, to now: CoarseTime) -> String {
        let seconds = start.seconds(to: now)
        return switch seconds {
        case 0: ""
        case ..<120: " for \(seconds) s"
        case ..<7_200: " for \(seconds / 60) min"
        default: " for \(seconds / 3_600) h"
        }
    }

    /// A limit in seconds, as people write it: `0.5 s`.
    static func limit(_ limit: Duration) -> String {
        let seconds = limit / .seconds(1)
        return seconds == seconds.rounded() && abs(seconds) < 1e15
            ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
