/// Decides when outcomes are sent, one alone or several together.
///
/// One goes at once when nothing is under way. Those that come before the broker has confirmed it
/// gather, and go together with its confirm, when they are many, or after a short time.
struct OutcomeBatches {
    enum Decision: Equatable {
        /// Somebody else sends it.
        case wait
        case send
        /// Send when what runs now has run.
        case sendSoon
        /// Send after ``longestWait``, unless this batch has gone by then.
        case sendLater(batch: Int)
    }

    /// How many outcomes go together at most.
    static let most = 64
    /// How many bytes of outcomes gather.
    static let mostBytes = 65_536
    static let longestWait = Duration.milliseconds(5)

    private var waiting: [PublicationID] = []
    private var waitingBytes = 0
    private var underWay = 0
    private var batch = 0

    /// An outcome of so many bytes is to be sent.
    mutating func added(_ id: PublicationID, bytes: Int) -> Decision {
        waiting.append(id)
        waitingBytes += bytes
        if waiting.count >= Self.most || waitingBytes >= Self.mostBytes { return .send }
        guard waiting.count == 1 else { return .wait }
        return underWay == 0 ? .sendSoon : .sendLater(batch: batch)
    }

    /// Whether a batch has not been taken yet.
    func isWaiting(_ batch: Int) -> Bool { batch == self.batch }

    /// Takes what is to be sent now.
    mutating func take() -> [PublicationID] {
        defer {
            waiting = []
            waitingBytes = 0
            batch += 1
        }
        return waiting
    }

    /// A message with outcomes is under way.
    mutating func sent() {
        underWay += 1
    }

    /// The broker has answered a message with outcomes.
    ///
    /// - Returns: Whether those that have gathered go now.
    mutating func answered() -> Bool {
        underWay -= 1
        return underWay == 0 && !waiting.isEmpty
    }
}
