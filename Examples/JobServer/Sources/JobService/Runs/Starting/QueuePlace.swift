/// The reason why a queued run has not started.
enum QueuePlace: Equatable, Sendable {
    /// It may not start before this time, in milliseconds since 1970.
    case planned(Int64)
    /// All permits are in use, and this number of runs start before it.
    case waiting(ahead: Int, queued: Int)
    /// A person has paused all starts, or only those of its kind.
    case paused(isKind: Bool)
    /// The server is not serving yet, or is stopping.
    case closed
}

extension AdmissionStateMachine {
    /// The reason why a queued run has not started, or nil if it is not queued.
    func place(of id: ID) -> QueuePlace? {
        if isClosed,
            waiting.contains(where: { $0.id == id }) || planned.contains(where: { $0.id == id })
        {
            return .closed
        }
        if let entry = planned.first(where: { $0.id == id }) { return .planned(entry.runAt ?? 0) }
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        if isPaused { return .paused(isKind: false) }
        if isPaused(kind: waiting[place].kind) { return .paused(isKind: true) }
        let unpaused = waiting.count { !isPaused(kind: $0.kind) }
        let ahead = waiting[..<place].count { !isPaused(kind: $0.kind) }
        return .waiting(ahead: ahead, queued: unpaused)
    }

    /// The number of queued runs of each kind.
    var queuedCounts: [Kind: Int] {
        let kinds = (waiting + planned).compactMap(\.kind)
        return Dictionary(kinds.map { ($0, 1) }) { $0 + $1 }
    }
}
