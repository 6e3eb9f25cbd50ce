/// Decides how long an address must wait after wrong tokens in a row.
///
/// After ten wrong tokens, the server checks at most one further token per second from this
/// address. A correct token ends the delay.
struct WrongTokensStateMachine: Sendable {
    private struct Guesses: Sendable {
        var wrong = 0
        var next = Duration.zero
    }

    /// The number of wrong tokens without a delay.
    static let free = 10
    /// The number of remembered addresses.
    ///
    /// If there are more, the address whose first wrong token is oldest is forgotten.
    static let addressLimit = 1_000
    /// The longest delay.
    ///
    /// A token that would have to wait longer is rejected.
    static let longestWait = Duration.seconds(20)

    private var guesses: [String: Guesses] = [:]
    private var order: [String] = []

    /// Adds a token that has come from an address.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - now: The time since an arbitrary fixed moment.
    /// - Returns: The delay before the token is checked, or nil if too many tokens are waiting.
    mutating func tokenCame(from address: String, at now: Duration) -> Duration? {
        guard var known = guesses[address], known.wrong >= Self.free else { return .zero }
        let next = max(now, known.next) + .seconds(1)
        guard next - now <= Self.longestWait else { return nil }
        known.next = next
        guesses[address] = known
        return next - now
    }

    /// Records that the token was wrong.
    mutating func tokenWasWrong(from address: String) {
        if guesses[address] == nil {
            if order.count == Self.addressLimit { guesses[order.removeFirst()] = nil }
            order.append(address)
        }
        guesses[address, default: Guesses()].wrong += 1
    }

    /// Records that the token was correct.
    mutating func tokenWasRight(from address: String) {
        guard guesses.removeValue(forKey: address) != nil else { return }
        order.removeAll { $0 == address }
    }
}
