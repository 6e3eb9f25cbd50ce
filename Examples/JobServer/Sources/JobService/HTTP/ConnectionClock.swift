/// Decides when a connection has been silent or slow for too long; times are since any fixed moment.
struct ConnectionClock: Sendable {
    /// How long what may take.
    struct Limits: Sendable {
        /// How long a request may take to arrive, header and body.
        var request = Duration.seconds(30)
        /// How long a connection may stay without a request.
        var idle = Duration.seconds(60)
        /// How long a client may take to take what was written.
        var write = Duration.seconds(30)
    }

    private let limits: Limits
    private var readingSince: Duration?
    private var idleSince: Duration
    private var blockedSince: Duration?
    private var unanswered = 0

    init(openedAt time: Duration, limits: Limits = Limits()) {
        self.limits = limits
        idleSince = time
    }

    /// When the connection is to be closed, unless something happens before.
    var deadline: Duration? {
        let reading = readingSince.map { $0 + limits.request }
        let idle = readingSince == nil && unanswered == 0 ? idleSince + limits.idle : nil
        let blocked = blockedSince.map { $0 + limits.write }
        return [reading, idle, blocked].compactMap { $0 }.min()
    }

    /// Bytes have come.
    mutating func bytesRead(at time: Duration) {
        if readingSince == nil, unanswered == 0 { readingSince = time }
    }

    /// A request's header has come.
    mutating func headRead(at time: Duration) {
        if readingSince == nil { readingSince = time }
        unanswered += 1
    }

    /// A request has come to its end.
    mutating func requestRead() {
        readingSince = nil
    }

    /// An answer was written to its end.
    mutating func answerWritten(at time: Duration) {
        unanswered = max(0, unanswered - 1)
        idleSince = time
    }

    /// The client does not take what is written.
    mutating func writingBlocked(at time: Duration) {
        if blockedSince == nil { blockedSince = time }
    }

    /// The client has taken what was written.
    mutating func writingUnblocked() {
        blockedSince = nil
    }
}
