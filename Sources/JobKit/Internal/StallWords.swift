import Foundation

/// Text that occurs in several lines of `explainStall`.
enum StallWords {
    static let unready = "not ready: its isReady returns false"

    static let unannounced = "isFinished is true, but no KVO notification was sent"
    /// The way out for an executing plain operation, which only its own code can stop.
    static let plainStop = "; its main() must check isCancelled to stop early"
    /// The way out for a cancelled operation that only its queue can end.
    static let start = "; its queue must start it before it can finish"

    /// ` 3 s ago` and its like; empty for less than a second.
    static func ago(_ start: CoarseTime, _ now: CoarseTime) -> String {
        length(from: start, to: now).map { " \($0) ago" } ?? ""
    }

    /// ` for 3 s` and its like; empty for less than a second.
    static func time(since start: CoarseTime, to now: CoarseTime) -> String {
        length(from: start, to: now).map { " for \($0)" } ?? ""
    }

    /// `3 s` and its like; nil for less than a second.
    static func length(from start: CoarseTime, to now: CoarseTime) -> String? {
        let seconds = start.seconds(to: now)
        return switch seconds {
        case 0: nil
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h"
        }
    }

    /// A limit in seconds, as people write it: `0.5 s`.
    static func limit(_ limit: Duration) -> String {
        let seconds = limit / .seconds(1)
        return seconds == seconds.rounded() && abs(seconds) < 1e15
            ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
