/// Decides when a session tries to reach a broker and when it stops trying.
///
/// Times are durations since the creation of the session.
struct SessionStateMachine {
    enum Action: Equatable {
        /// Try the next address.
        case connect
        /// Retry soon, after this number of failures in a row.
        case retry(afterFailures: Int)
        /// Try to acquire the lock again.
        case retryForLock(after: Duration)
        /// The session is usable.
        case opened
        /// The session has ended.
        case giveUp(Reason)
    }

    enum Reason: Equatable {
        case refused
        case unreachable
        case jobIsRunning
        case lost
        case closed
    }

    enum State: Equatable {
        case idle
        case opening
        case open
        case reopening
        case ended
    }

    /// How long opening may take without a broker.
    static let openingPatience = Duration.seconds(30)
    /// How long another controller may hold the job's lock.
    ///
    /// The limit lets the error come within 20 s. The lock of a dead controller lasts about 12 s.
    static let lockPatience = Duration.seconds(19)

    private let patience: Duration
    private let lockPatience: Duration
    private(set) var state = State.idle
    private var failures = 0
    private var since = Duration.zero
    private var lockedSince: Duration?
    /// Whether an attempt is under way.
    ///
    /// Late events of a failed attempt are ignored.
    private var isTrying = false

    init(patience: Duration, lockPatience: Duration = Self.lockPatience) {
        self.patience = patience
        self.lockPatience = lockPatience
    }

    mutating func openRequested(at now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        state = .opening
        since = now
        isTrying = true
        return [.connect]
    }

    /// Starts a due retry.
    mutating func retryDue() -> [Action] {
        guard state == .opening || state == .reopening, !isTrying else { return [] }
        isTrying = true
        return [.connect]
    }

    /// Handles a broker that rejects the user or lacks a permission.
    ///
    /// A broker that is starting again may reject users for a while. A rejection on a connection in
    /// use is final.
    mutating func refused(at now: Duration) -> [Action] {
        if state == .open || state == .opening && isTrying { return end(.refused) }
        return failed(at: now)
    }

    /// Handles an unreachable broker, or a connection that was lost before it became usable.
    mutating func failed(at now: Duration) -> [Action] {
        guard isTrying else { return [] }
        isTrying = false
        switch state {
        case .opening where now - since >= Self.openingPatience: return end(.unreachable)
        case .reopening where now - since >= patience: return end(.lost)
        case .opening, .reopening:
            failures += 1
            return [.retry(afterFailures: failures)]
        default: return []
        }
    }

    /// Handles a lock that another controller holds.
    mutating func locked(at now: Duration) -> [Action] {
        guard state == .opening || state == .reopening, isTrying else { return [] }
        isTrying = false
        let start = lockedSince ?? now
        lockedSince = start
        // After a loss, the lock is most likely this session's own earlier one.
        let limit = state == .opening ? lockPatience : max(lockPatience, patience)
        guard now - start < limit else { return end(.jobIsRunning) }
        return [.retryForLock(after: .milliseconds(500))]
    }

    /// Opens the session, because the stream was read up to this connection's marker.
    mutating func markerRead() -> [Action] {
        guard state == .opening || state == .reopening else { return [] }
        state = .open
        isTrying = false
        lockedSince = nil
        failures = 0
        return [.opened]
    }

    /// Handles the loss of an open session's connection.
    mutating func lost(at now: Duration) -> [Action] {
        guard state == .open else { return [] }
        state = .reopening
        since = now
        isTrying = true
        return [.connect]
    }

    mutating func closeRequested() -> [Action] {
        end(.closed)
    }

    private mutating func end(_ reason: Reason) -> [Action] {
        guard state != .ended else { return [] }
        state = .ended
        return [.giveUp(reason)]
    }
}
