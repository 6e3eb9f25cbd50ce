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
    /// With `amqps`, the connection is encrypted by TLS. `?cacertfile=FILE` at the end then names the
    /// certificates that are trusted instead of the system's. User and password default to `guest`,
    /// the port to 5672, or 5671 with TLS, and the virtual host to `/`. An IPv6 address is written in
    /// brackets. Percent signs stand for bytes, as in any URL. A `/`, `?` or `#` in a password must be
    /// written this way, because the part with the user and the hosts ends at the first `/` or `?`.
    ///
    /// - Parameter url: The text.
    /// - Returns: An address for each node, at least one.
    /// - Throws: ``InvalidBrokerURLError``.
    public static func parse(_ url: String) throws -> [BrokerAddress] {
        let url = try BrokerURL(url)
        return url.nodes.map { node in
            BrokerAddress(
                host: node.host,
                port: node.port,
                user: url.user,
                password: url.password,
                virtualHost: url.virtualHost,
                encryption: url.isEncrypted ? .tls(authority: url.authorityFile) : .none
            )
        }
    }
}

extension BrokerAddress: CustomStringConvertible {
    /// Host and port, as messages name a broker.
    public var description: String { "\(host):\(port)" }
}

/// A text is not the URL of a broker.
public struct InvalidBrokerURLError: LocalizedError, CustomStringConvertible {
    /// What is wrong with it, without the text itself: it may hold a password.
    public let reason: String
    /// One line that says what is wrong.
    public var description: String {
        """
        The broker's URL must be amqp[s]://USER:PASSWORD@HOST:PORT[,HOST:PORT...][/VHOST]: \
        \(reason).
        """
    }
    /// The description.
    public var errorDescription: String? { description }
}
