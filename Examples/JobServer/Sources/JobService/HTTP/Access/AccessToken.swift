/// A secret that clients must send, with the name that the log shows for it.
public struct AccessToken: Sendable, Equatable {
    /// The smallest number of characters of a token.
    public static let leastLength = 16

    /// The name that the log shows for senders of the token.
    public let name: String
    /// The token.
    public let text: String

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - name: The name that the log shows for senders of the token.
    ///   - text: The token, of at least ``leastLength`` characters.
    public init(name: String = "token", _ text: String) {
        self.name = name
        self.text = text
    }

    /// Parses a file with one token per line, optionally with a name as in `ann=TOKEN`.
    ///
    /// - Parameter text: The file's text.
    /// - Returns: The tokens.
    /// - Throws: ``StartUpError`` if there is no token, if one is too short, or if a name occurs
    ///   twice.
    public static func tokens(in text: String) throws(StartUpError) -> [AccessToken] {
        let lines = text.split(whereSeparator: \.isNewline).map(\.trimmed)
        let tokens = lines.filter { !$0.isEmpty }.map(token)
        guard !tokens.isEmpty else { throw StartUpError(64, "There is no token.") }
        guard tokens.allSatisfy({ $0.text.count >= leastLength }) else {
            throw StartUpError(64, "A token has at least \(leastLength) characters.")
        }
        guard Set(tokens.map(\.name)).count == tokens.count else {
            throw StartUpError(64, "Of several tokens, each needs a name of its own: ann=TOKEN.")
        }
        return tokens
    }

    private static func token(_ line: Substring) -> AccessToken {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isName = { (text: Substring) in
            1...64 ~= text.utf8.count
                && text.allSatisfy {
                    $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0))
                }
        }
        guard parts.count == 2, isName(parts[0]), parts[1].count >= leastLength else {
            return AccessToken(String(line))
        }
        return AccessToken(name: String(parts[0]), String(parts[1]))
    }
}
