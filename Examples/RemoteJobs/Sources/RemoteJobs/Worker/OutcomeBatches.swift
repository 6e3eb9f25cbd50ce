/// Decides when outcomes are sent, alone or in batches.
///
/// If nothing is under way, an outcome is sent at once. Outcomes that come before the broker has
/// confirmed it are collected. They are sent together when the confirm arrives, when there are
/// many, or after a short time.
struct OutcomeBatches {
    enum Decision: Equatable {
        /// The outcome is part of a batch that is already scheduled.
        case wait
        case send
        /// Send once the code that runs now has returned.
        case sendSoon
        /// Send after ``longestWait``, unless this batch was sent earlier.
        case sendLater(batch: Int)
    }

    /// The highest number of outcomes in a batch.
    static let most = 64
    /// The number of bytes at which a batch is sent.
    static let mostBytes = 65_536
    static let longestWait = Duration.milliseconds(5)

    private var waiting: [PublicationID] = []
    private var waitingBytes = 0
    private var underWay = 0
    private var batch = 0

    /// Adds an outcome of the given size.
    mutating func added(_ id: PublicationID, bytes: Int) -> Decision {
        waiting.append(id)
        waitingBytes += bytes
        if waiting.count >= Self.most || waitingBytes >= Self.mostBytes { return .send }
        guard waiting.count == 1 else { return .wait }
        return underWay == 0 ? .sendSoon : .sendLater(batch: batch)
    }

    /// Whether a batch has not been taken yet.
    func isWaiting(_ batch: Int) -> Bool { batch == self.batch }

    /// Takes the outcomes to send now.
    mutating func take() -> [PublicationID] {
        defer {
            waiting = []
            waitingBytes = 0
            batch += 1
        }
        return waiting
    }

    /// Records that a message with outcomes was sent.
    mutating func sent() {
        underWay += 1
    }

    /// Records that the broker has answered a message with outcomes.
    ///
    /// - Returns: Whether the collected outcomes are sent now.
    mutating func answered() -> Bool {
        underWay -= 1
        return underWay == 0 && !waiting.isEmpty
    }
}
