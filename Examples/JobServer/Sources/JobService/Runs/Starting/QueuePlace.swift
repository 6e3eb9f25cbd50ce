/// The reason why a queued run has not started.
enum QueuePlace: Equatable, Sendable {
    /// It may not start before this time, in milliseconds since 1970.
    case planned(Int64)
    /// All permits are in use, and this number of runs start before it.
    case waiting(ahead: Int, queued: Int)
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
        guard let ahead = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return .waiting(ahead: ahead, queued: waiting.count)
    }
}
