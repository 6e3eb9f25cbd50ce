import Synchronization

/// The tokens that clients need, and the sessions of those who logged in with one.
///
/// > Thread: Any.
final class AccessSecret: Sendable {
    private struct Session: Sendable {
        let text: [UInt8]
        let name: String
    }

    private static let sessionLimit = 1_000

    private let tokens: [AccessToken]
    // Made anew at each start, so that a restart ends all sessions.
    private let sessions = Mutex<[Session]>([])

    init(tokens: [AccessToken]) {
        self.tokens = tokens
    }

    /// Who has this token; nil if nobody has.
    func name(ofToken text: String) -> String? {
        // All are compared, so that the time does not tell which one it was.
        var name: String?
        for token in tokens where Self.areEqual(Array(text.utf8), Array(token.text.utf8)) {
            name = token.name
        }
        return name
    }

    /// Who logged in to this session; nil if there is none.
    func name(ofSession text: String) -> String? {
        var name: String?
        for session in sessions.withLock({ $0 })
        where Self.areEqual(Array(text.utf8), session.text) { name = session.name }
        return name
    }

    /// Begins a session; the oldest of many ends.
    ///
    /// - Returns: What the cookie holds.
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

    /// Compares in a time that depends on the first text's length alone.
    private static func areEqual(_ sent: [UInt8], _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty else { return false }
        var difference: UInt8 = sent.count == secret.count ? 0 : 1
        for (place, byte) in sent.enumerated() {
            difference |= byte ^ secret[place % secret.count]
        }
        return difference == 0
    }
}
