/// Decides when a wait is spoken of: after a second, so that it is heard within two, then each
/// minute, and once when it is over.
///
/// A wait that is over before its first word needs none. Times are durations since any one moment.
struct Waits {
    /// What is waited for.
    enum Cause: Hashable {
        /// A broker that can be reached.
        case broker
        /// The job's lock, which another controller has.
        case lock
        /// A broker that takes messages.
        case room
        /// A worker of a route.
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

    /// What is waited for now, in words, whether they were said or not.
    var words: [Cause: String] { waits.mapValues(\.words) }

    /// Something is waited for, or still is.
    mutating func began(_ cause: Cause, _ words: String, at now: Duration) {
        if waits[cause] == nil {
            waits[cause] = Wait(start: now, words: words)
        } else {
            waits[cause]?.words = words
        }
    }

    /// Something is not waited for any more.
    ///
    /// - Returns: What was said of it last, and for how long it was waited; nil if nothing was said.
    mutating func ended(_ cause: Cause, at now: Duration) -> (words: String, seconds: Int64)? {
        guard let wait = waits.removeValue(forKey: cause), wait.lastSaid != nil else { return nil }
        return (wait.words, (now - wait.start).components.seconds)
    }

    /// The words that are to be said now.
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
