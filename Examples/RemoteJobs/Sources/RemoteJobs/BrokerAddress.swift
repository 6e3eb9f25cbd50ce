import Foundation

/// Where a broker is, and who logs in there.
public struct BrokerAddress: Sendable {
    /// A name or an address.
    public let host: String
    /// The port; brokers listen on 5672 unless told otherwise.
    public let port: Int
    /// Who logs in.
    public let user: String
    /// The user's password, which no message of this package shows.
    public let password: String

    /// Takes an address in its parts.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - user: Who logs in.
    ///   - password: With which password.
    public init(host: String, port: Int, user: String, password: String) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    /// Reads `amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT…]`: the nodes of one broker.
    ///
    /// User and password default to `guest`, the port to 5672. Percent signs in them stand for
    /// bytes, as in any URL; an IPv6 address stands in brackets.
    ///
    /// - Parameter url: The text.
    /// - Returns: An address for each node, at least one.
    /// - Throws: ``WrongBrokerURL``.
    public static func parse(_ url: String) throws -> [BrokerAddress] {
        let scheme = "amqp://"
        guard url.hasPrefix(scheme) else {
            throw WrongBrokerURL(reason: "it does not begin with \(scheme)")
        }
        var rest = url.dropFirst(scheme.count)
        if rest.last == "/" { rest = rest.dropLast() }
        var (user, password) = ("guest", "guest")
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at]
                .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(parts[0]).removingPercentEncoding, !name.isEmpty,
                let word = parts.count == 1 ? "" : String(parts[1]).removingPercentEncoding
            else { throw WrongBrokerURL(reason: "its user or password is wrongly encoded") }
            (user, password) = (name, word)
            rest = rest[rest.index(after: at)...]
        }
        return try rest.split(separator: ",", omittingEmptySubsequences: false)
            .map { node in
                let (host, port) = try parseNode(node)
                return BrokerAddress(host: host, port: port, user: user, password: password)
            }
    }

    private static func parseNode(_ node: Substring) throws -> (String, Int) {
        var host = node
        var port = 5_672
        let bracket = node.lastIndex(of: "]")
        let hostEnd = bracket.map { node.index(after: $0) } ?? node.startIndex
        if let colon = node[hostEnd...].lastIndex(of: ":") {
            guard let number = Int(node[node.index(after: colon)...]), 1...65_535 ~= number else {
                throw WrongBrokerURL(reason: "a port is a number from 1 to 65535")
            }
            host = node[..<colon]
            port = number
        }
        if bracket != nil, host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        }
        guard !host.isEmpty, !host.contains(where: { "/?#[] ".contains($0) }) else {
            throw WrongBrokerURL(reason: "a host is missing or wrong")
        }
        return (String(host), port)
    }
}

extension BrokerAddress: CustomStringConvertible {
    /// Host and port, as messages name a broker.
    public var description: String { "\(host):\(port)" }
}

/// A text is no broker's URL.
public struct WrongBrokerURL: Error, CustomStringConvertible {
    /// What is wrong with it, without the text itself: it may hold a password.
    public let reason: String
    /// One line that says what is wrong.
    public var description: String {
        "The broker's URL must be amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT...]: \(reason)."
    }
}
