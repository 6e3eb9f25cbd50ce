import Synchronization

/// The access tokens of clients, and the login sessions.
///
/// > Thread: Any.
final class AccessSecret: Sendable {
    private struct Session: Sendable {
        let text: [UInt8]
        let name: String
    }

    private static let sessionLimit = 1_000

    private let tokens: [AccessToken]
    // Kept only in memory, so that a restart ends all sessions.
    private let sessions = Mutex<[Session]>([])

    init(tokens: [AccessToken]) {
        self.tokens = tokens
    }

    /// The name of a token, or nil if it is unknown.
    func name(ofToken text: String) -> String? {
        // All tokens are compared, so that the time does not reveal which one matched.
        var name: String?
        for token in tokens where Self.areEqual(Array(text.utf8), Array(token.text.utf8)) {
            name = token.name
        }
        return name
    }

    /// The token name of a session, or nil if there is no such session.
    func name(ofSession text: String) -> String? {
        var name: String?
        for session in sessions.withLock({ $0 })
        where Self.areEqual(Array(text.utf8), session.text) { name = session.name }
        return name
    }

    /// Starts a session.
    ///
    /// If there are too many, the oldest one ends.
    ///
    /// - Returns: The value of the cookie.
    func logIn(_ name: String) -> String {
        let text = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        sessions.withLock { sessions in
            if sessions.count == Self.sessionLimit { sessions.removeFirst() }
            sessions.append(Session(text: Array(text.utf8), name: name))
        }
        return text
    }

    /// Ends a session.
    func logOut(_ text: String) {
        sessions.withLock { sessions in
            sessions.removeAll { Self.areEqual(Array(text.utf8), $0.text) }
        }
    }

    /// Compares two texts in a time that depends only on the length of the first one.
    private static func areEqual(_ sent: [UInt8], _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty else { return false }
        var difference: UInt8 = sent.count == secret.count ? 0 : 1
        for (place, byte) in sent.enumerated() {
            difference |= byte ^ secret[place % secret.count]
        }
        return difference == 0
    }
}
