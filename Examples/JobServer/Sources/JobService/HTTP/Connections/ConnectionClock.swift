/// Decides when a connection has been silent or slow for too long.
///
/// Times are durations since an arbitrary fixed moment.
struct ConnectionClock: Sendable {
    /// The longest times of a connection.
    struct Limits: Sendable {
        /// How long a request may take to arrive, header and body.
        var request = Duration.seconds(30)
        /// How long a connection may stay open without a request.
        var idle = Duration.seconds(60)
        /// How long a client may take to receive written data.
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

    /// When the connection must be closed, unless something happens before.
    var deadline: Duration? {
        let reading = readingSince.map { $0 + limits.request }
        let idle = readingSince == nil && unanswered == 0 ? idleSince + limits.idle : nil
        let blocked = blockedSince.map { $0 + limits.write }
        return [reading, idle, blocked].compactMap { $0 }.min()
    }

    /// Records that bytes have arrived.
    mutating func bytesRead(at time: Duration) {
        if readingSince == nil, unanswered == 0 { readingSince = time }
    }

    /// Records that a request's header has arrived.
    mutating func headRead(at time: Duration) {
        if readingSince == nil { readingSince = time }
        unanswered += 1
    }

    /// Records that a request has arrived completely.
    mutating func requestRead() {
        readingSince = nil
    }

    /// Records that an answer was written completely.
    mutating func answerWritten(at time: Duration) {
        unanswered = max(0, unanswered - 1)
        idleSince = time
    }

    /// Records that the client does not accept more data.
    mutating func writingBlocked(at time: Duration) {
        if blockedSince == nil { blockedSince = time }
    }

    /// Records that the client accepts data again.
    mutating func writingUnblocked() {
        blockedSince = nil
    }
}
