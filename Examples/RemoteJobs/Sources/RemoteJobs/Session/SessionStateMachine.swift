/// Decides when a session tries to reach a broker, and when it gives up.
///
/// Times are durations since the session was made.
struct SessionStateMachine {
    enum Action: Equatable {
        /// Try the next address.
        case connect
        case retry(after: Duration)
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
    /// How long a job's lock may be another's; a dead controller's lasts about 12 s.
    static let lockPatience = Duration.seconds(20)

    private let patience: Duration
    private(set) var state = State.idle
    private var backoff = Backoff()
    private var since = Duration.zero
    private var lockedSince: Duration?

    init(patience: Duration) {
        self.patience = patience
    }

    mutating func openRequested(at now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        state = .opening
        since = now
        return [.connect]
    }

    /// The broker does not let the user in.
    mutating func refused(at now: Duration, random: Double) -> [Action] {
        if state == .opening { return end(.refused) }
        return failed(at: now, random: random)
    }

    /// There is no broker at the address, or the connection has gone before it was of use.
    mutating func failed(at now: Duration, random: Double) -> [Action] {
        switch state {
        case .opening where now - since >= Self.openingPatience: return end(.unreachable)
        case .reopening where now - since >= patience: return end(.lost)
        case .opening, .reopening: return [.retry(after: backoff.failed(random: random))]
        default: return []
        }
    }

    /// Another controller has the job's lock.
    mutating func locked(at now: Duration) -> [Action] {
        guard state == .opening || state == .reopening else { return [] }
        let start = lockedSince ?? now
        lockedSince = start
        // After a loss, the lock that stands in the way is most likely this session's own old one.
        let limit = state == .opening ? Self.lockPatience : max(Self.lockPatience, patience)
        guard now - start < limit else { return end(.jobIsRunning) }
        return [.retry(after: .milliseconds(500))]
    }

    /// The stream was read up to this connection's marker.
    mutating func markerRead() -> [Action] {
        guard state == .opening || state == .reopening else { return [] }
        state = .open
        lockedSince = nil
        backoff.succeeded()
        return [.opened]
    }

    /// The connection of an open session has gone.
    mutating func lost(at now: Duration) -> [Action] {
        guard state == .open else { return [] }
        state = .reopening
        since = now
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
