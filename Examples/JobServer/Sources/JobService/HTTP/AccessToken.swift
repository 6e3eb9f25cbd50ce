/// What a client must know, and what the log calls the one that knows it.
public struct AccessToken: Sendable, Equatable {
    /// How many characters a token has at least.
    public static let leastLength = 16

    /// What the log calls whoever sends the token.
    public let name: String
    /// The token.
    public let text: String

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - name: What the log calls whoever sends the token.
    ///   - text: The token, of at least ``leastLength`` characters.
    public init(name: String = "token", _ text: String) {
        self.name = name
        self.text = text
    }

    /// Reads the tokens of a file: one a line, perhaps with a name before it, as in `ann=TOKEN`.
    ///
    /// - Parameter text: The file's text.
    /// - Returns: The tokens.
    /// - Throws: ``StartUpError`` if there is none, one is too short, or two have a name.
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
