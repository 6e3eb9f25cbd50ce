/// The token that clients need, and the session of those who logged in with it.
struct AccessSecret: Sendable {
    private let token: [UInt8]
    /// What the cookie holds: made anew at each start, so that a restart logs everybody out.
    let session: String

    init(token: String) {
        self.token = Array(token.utf8)
        session = (0..<4).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    func isToken(_ text: String) -> Bool { Self.areEqual(Array(text.utf8), token) }
    func isSession(_ text: String) -> Bool { Self.areEqual(Array(text.utf8), Array(session.utf8)) }

    /// Compares in a time that depends on the first text's length alone.
    private static func areEqual(_ sent: [UInt8], _ secret: [UInt8]) -> Bool {
        var difference: UInt8 = sent.count == secret.count ? 0 : 1
        for (place, byte) in sent.enumerated() {
            difference |= byte ^ secret[place % secret.count]
        }
        return difference == 0
    }
}
