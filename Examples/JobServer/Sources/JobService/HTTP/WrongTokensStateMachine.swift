/// Decides how long an address waits that has sent wrong tokens in a row.
///
/// After the tenth, each further token is looked at a second after the one before; a right one ends that.
struct WrongTokensStateMachine: Sendable {
    private struct Guesses: Sendable {
        var wrong = 0
        var next = Duration.zero
    }

    /// How many wrong tokens cost nothing.
    static let free = 10
    /// How many addresses are remembered; the one that guessed first is forgotten.
    static let addressLimit = 1_000
    /// How many wait at most; a further one is told to come later.
    static let longestWait = Duration.seconds(20)

    private var guesses: [String: Guesses] = [:]
    private var order: [String] = []

    /// A token comes from an address.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - now: The time since any fixed moment.
    /// - Returns: How long it waits before it is looked at; nil if too many wait already.
    mutating func tokenCame(from address: String, at now: Duration) -> Duration? {
        guard var known = guesses[address], known.wrong >= Self.free else { return .zero }
        let next = max(now, known.next) + .seconds(1)
        guard next - now <= Self.longestWait else { return nil }
        known.next = next
        guesses[address] = known
        return next - now
    }

    /// It was a wrong one.
    mutating func tokenWasWrong(from address: String) {
        if guesses[address] == nil {
            if order.count == Self.addressLimit { guesses[order.removeFirst()] = nil }
            order.append(address)
        }
        guesses[address, default: Guesses()].wrong += 1
    }

    /// It was a right one.
    mutating func tokenWasRight(from address: String) {
        guard guesses.removeValue(forKey: address) != nil else { return }
        order.removeAll { $0 == address }
    }
}
