/// Decides when to log a wait: after a second, then each minute, and once when it ends.
///
/// The delay of one second guarantees a log line within two. A wait that ends earlier is not
/// logged. Times are durations since an arbitrary fixed moment.
struct Waits {
    /// The cause of a wait.
    enum Cause: Hashable {
        /// No broker can be reached.
        case broker
        /// Another controller has the job's lock.
        case lock
        /// The broker accepts no messages.
        case room
        /// A route has no worker.
        case worker(route: Name)
    }

    private struct Wait {
        let start: Duration
        var words: String
        var lastSaid: Duration?
    }

    static let first = Duration.seconds(1)
    static let again = Duration.seconds(60)

    private var waits: [Cause: Wait] = [:]

    /// The texts of all current waits, logged or not.
    var words: [Cause: String] { waits.mapValues(\.words) }

    /// Starts a wait, or updates its text.
    mutating func began(_ cause: Cause, _ words: String, at now: Duration) {
        if waits[cause] == nil {
            waits[cause] = Wait(start: now, words: words)
        } else {
            waits[cause]?.words = words
        }
    }

    /// Ends a wait.
    ///
    /// - Returns: The last text that was logged and the length of the wait, or nil if it was never
    ///   logged.
    mutating func ended(_ cause: Cause, at now: Duration) -> (words: String, seconds: Int64)? {
        guard let wait = waits.removeValue(forKey: cause), wait.lastSaid != nil else { return nil }
        return (wait.words, (now - wait.start).components.seconds)
    }

    /// Returns the texts to log now.
    mutating func due(at now: Duration) -> [String] {
        var due: [String] = []
        for (cause, wait) in waits.sorted(by: { $0.value.start < $1.value.start }) {
            let next = wait.lastSaid.map { $0 + Self.again } ?? wait.start + Self.first
            guard now >= next else { continue }
            waits[cause]?.lastSaid = now
            due.append(wait.words)
        }
        return due
    }
}
