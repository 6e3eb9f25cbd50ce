import Foundation

/// Where a broker is, who logs in there, and to which part of it.
public struct BrokerAddress: Sendable {
    /// How a connection is encrypted.
    public enum Encryption: Sendable, Hashable {
        /// Not at all.
        case none
        /// By TLS, if the broker's certificate is one of its host's.
        ///
        /// `authority` is a file in PEM form with the certificates that are trusted; nil for the
        /// system's.
        case tls(authority: String? = nil)
    }

    /// A name or an address.
    public let host: String
    /// The port; brokers listen on 5672 unless told otherwise, and on 5671 for TLS.
    public let port: Int
    /// Who logs in.
    public let user: String
    /// The user's password, which no message of this package shows.
    public let password: String
    /// The part of the broker, `/` unless it has several.
    public let virtualHost: String
    /// How the connection is encrypted.
    public let encryption: Encryption

    /// Takes an address in its parts, without TLS, for the virtual host `/`.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - user: Who logs in.
    ///   - password: With which password.
    public init(host: String, port: Int, user: String, password: String) {
        self.init(
            host: host,
            port: port,
            user: user,
            password: password,
            virtualHost: "/",
            encryption: .none
        )
    }

    /// Takes an address in its parts.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - user: Who logs in.
    ///   - password: With which password.
    ///   - virtualHost: The part of the broker, at most 255 bytes; a longer one is a programming
    ///     error.
    ///   - encryption: How the connection is encrypted.
    public init(
        host: String,
        port: Int,
        user: String,
        password: String,
        virtualHost: String,
        encryption: Encryption = .none
    ) {
        precondition(
            virtualHost.utf8.count <= 255,
            "RemoteJobs: a virtual host has at most 255 bytes"
        )
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
        self.encryption = encryption
    }

    /// Reads `amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT…][/VHOST]`: the nodes of one broker.
    ///
    /// With `amqps` the connection is encrypted by TLS; `?cacertfile=FILE` at the end names the
    /// certificates that are trusted in place of the system's. User and password default to `guest`,
    /// the port to 5672, or 5671 with TLS, and the virtual host to `/`. Percent signs stand for bytes,
    /// as in any URL; an IPv6 address stands in brackets.
    ///
    /// - Parameter url: The text.
    /// - Returns: An address for each node, at least one.
    /// - Throws: ``InvalidBrokerURLError``.
    public static func parse(_ url: String) throws -> [BrokerAddress] {
        let isEncrypted = url.hasPrefix("amqps://")
        guard isEncrypted || url.hasPrefix("amqp://") else {
            throw InvalidBrokerURLError(reason: "it does not begin with amqp:// or amqps://")
        }
        var rest = url[url.index(url.startIndex, offsetBy: isEncrypted ? 8 : 7)...]
        let (name, word) = try parseUser(&rest)
        let authority = try parseQuery(&rest, isEncrypted: isEncrypted)
        let virtualHost = try parseVirtualHost(&rest)
        return try rest.split(separator: ",", omittingEmptySubsequences: false)
            .map { node in
                let (host, port) = try parseNode(node, defaultPort: isEncrypted ? 5_671 : 5_672)
                return BrokerAddress(
                    host: host,
                    port: port,
                    user: name,
                    password: word,
                    virtualHost: virtualHost,
                    encryption: isEncrypted ? .tls(authority: authority) : .none
                )
            }
    }

    private static func parseUser(_ rest: inout Substring) throws -> (String, String) {
        guard let at = rest.lastIndex(of: "@") else { return ("guest", "guest") }
        let parts = rest[..<at]
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = String(parts[0]).removingPercentEncoding, !user.isEmpty,
            let password = parts.count == 1 ? "" : String(parts[1]).removingPercentEncoding
        else { throw InvalidBrokerURLError(reason: "its user or password is wrongly encoded") }
        rest = rest[rest.index(after: at)...]
        return (user, password)
    }

    private static func parseQuery(_ rest: inout Substring, isEncrypted: Bool) throws -> String? {
        guard let mark = rest.firstIndex(of: "?") else { return nil }
        let query = rest[rest.index(after: mark)...]
        rest = rest[..<mark]
        let name = "cacertfile="
        guard isEncrypted, query.hasPrefix(name), !query.contains("&"),
            let file = String(query.dropFirst(name.count)).removingPercentEncoding, !file.isEmpty
        else {
            throw InvalidBrokerURLError(
                reason: "behind ? only cacertfile=FILE may stand, with amqps"
            )
        }
        return file
    }

    private static func parseVirtualHost(_ rest: inout Substring) throws -> String {
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        let text = rest[rest.index(after: slash)...]
        rest = rest[..<slash]
        guard !text.contains("/"), let name = String(text).removingPercentEncoding,
            name.utf8.count <= 255
        else {
            throw InvalidBrokerURLError(reason: "its virtual host is too long or wrongly encoded")
        }
        return name.isEmpty ? "/" : name
    }

    private static func parseNode(
        _ node: Substring,
        defaultPort: Int
    ) throws -> (String, Int) {
        var host = node
        var port = defaultPort
        let bracket = node.lastIndex(of: "]")
        let hostEnd = bracket.map { node.index(after: $0) } ?? node.startIndex
        if let colon = node[hostEnd...].lastIndex(of: ":") {
            guard let number = Int(node[node.index(after: colon)...]), 1...65_535 ~= number else {
                throw InvalidBrokerURLError(reason: "a port is a number from 1 to 65535")
            }
            host = node[..<colon]
            port = number
        }
        if bracket != nil, host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        }
        guard !host.isEmpty, !host.contains(where: { "/?#[] ".contains($0) }) else {
            throw InvalidBrokerURLError(reason: "a host is missing or wrong")
        }
        return (String(host), port)
    }
}

extension BrokerAddress: CustomStringConvertible {
    /// Host and port, as messages name a broker.
    public var description: String { "\(host):\(port)" }
}

/// A text is no broker's URL.
public struct InvalidBrokerURLError: Error, CustomStringConvertible {
    /// What is wrong with it, without the text itself: it may hold a password.
    public let reason: String
    /// One line that says what is wrong.
    public var description: String {
        """
        The broker's URL must be amqp[s]://USER:PASSWORD@HOST:PORT[,HOST:PORT...][/VHOST]: \
        \(reason).
        """
    }
}
