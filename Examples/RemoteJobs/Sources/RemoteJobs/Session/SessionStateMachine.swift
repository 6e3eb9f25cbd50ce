/// Decides when a session tries to reach a broker, and when it gives up.
///
/// Times are durations since the session was made.
struct SessionStateMachine {
    enum Action: Equatable {
        /// Try the next address.
        case connect
        /// Try again soon: so often it has failed in a row.
        case retry(afterFailures: Int)
        /// Try for the lock again.
        case retryForLock(after: Duration)
        /// The session can be used.
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
    /// How long a job's lock may be another's, so that the word of it comes within 20 s; a dead
    /// controller's lasts about 12 s.
    static let lockPatience = Duration.seconds(19)

    private let patience: Duration
    private let lockPatience: Duration
    private(set) var state = State.idle
    private var failures = 0
    private var since = Duration.zero
    private var lockedSince: Duration?
    /// Whether a try is under way: what is heard of one that has failed already counts no more.
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

    /// The time of a retry has come.
    mutating func retryDue() -> [Action] {
        guard state == .opening || state == .reopening, !isTrying else { return [] }
        isTrying = true
        return [.connect]
    }

    /// The broker does not let the user in, or not to what is needed.
    ///
    /// One that comes back may refuse for a while; one in use means what it says.
    mutating func refused(at now: Duration) -> [Action] {
        if state == .open || state == .opening && isTrying { return end(.refused) }
        return failed(at: now)
    }

    /// There is no broker at the address, or the connection has gone before it was of use.
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

    /// Another controller has the job's lock.
    mutating func locked(at now: Duration) -> [Action] {
        guard state == .opening || state == .reopening, isTrying else { return [] }
        isTrying = false
        let start = lockedSince ?? now
        lockedSince = start
        // After a loss, the lock that stands in the way is most likely this session's own old one.
        let limit = state == .opening ? lockPatience : max(lockPatience, patience)
        guard now - start < limit else { return end(.jobIsRunning) }
        return [.retryForLock(after: .milliseconds(500))]
    }

    /// The stream was read up to this connection's marker.
    mutating func markerRead() -> [Action] {
        guard state == .opening || state == .reopening else { return [] }
        state = .open
        isTrying = false
        lockedSince = nil
        failures = 0
        return [.opened]
    }

    /// The connection of an open session has gone.
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
