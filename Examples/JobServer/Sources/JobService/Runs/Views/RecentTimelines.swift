import JobKit
import Synchronization

/// The timelines of the latest runs that were too short to be saved in the database.
final class RecentTimelines: Sendable {
    private static let limit = 20

    private let kept = Mutex<[(id: Int64, timeline: Timeline)]>([])

    func add(_ timeline: Timeline, of id: Int64) {
        kept.withLock { kept in
            kept.append((id, timeline))
            if kept.count > Self.limit { kept.removeFirst() }
        }
    }

    func remove(_ id: Int64) {
        kept.withLock { kept in kept.removeAll { $0.id == id } }
    }

    func timeline(of id: Int64) -> Timeline? {
        kept.withLock { kept in kept.first { $0.id == id }?.timeline }
    }
}
