import Foundation

/// The address of a broker's node, with the user and the virtual host.
public struct BrokerAddress: Sendable {
    /// The encryption of a connection.
    public enum Encryption: Sendable, Hashable {
        /// No encryption.
        case none
        /// TLS, with a check that the certificate belongs to the broker's host.
        ///
        /// `authority` is a PEM file with the trusted certificates, or nil for those of the system.
        case tls(authority: String? = nil)
    }

    /// A name or an address.
    public let host: String
    /// The port.
    ///
    /// By default, brokers listen on 5672, and on 5671 for TLS.
    public let port: Int
    /// The user that logs in.
    public let user: String
    /// The user's password, which no message of this package contains.
    public let password: String
    /// The virtual host of the broker, usually `/`.
    public let virtualHost: String
    /// The encryption of the connection.
    public let encryption: Encryption

    /// Creates an address without TLS for the virtual host `/`.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - user: The user that logs in.
    ///   - password: The user's password.
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

    /// Creates an address from its parts.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - user: The user that logs in.
    ///   - password: The user's password.
    ///   - virtualHost: The virtual host, at most 255 bytes. A longer one is a programming error.
    ///   - encryption: The encryption of the connection.
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

    /// Parses `amqp://USER:PASSWORD@HOST:PORT[,HOST:PORT…][/VHOST]`, the nodes of one broker.
    ///
    /// With `amqps`, the connection uses TLS. In this case, `?cacertfile=FILE` at the end names the
    /// certificates that are trusted instead of the system's. User and password default to `guest`,
    /// the port to 5672, or 5671 with TLS, and the virtual host to `/`. An IPv6 address is written
    /// in brackets. Percent signs encode bytes, as in any URL. A `/`, `?` or `#` in a password must
    /// be encoded, because the part with the user and the hosts ends at the first `/` or `?`.
    ///
    /// - Parameter url: The text.
    /// - Returns: The address of each node, at least one.
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
    /// Host and port, as messages show a broker.
    public var description: String { "\(host):\(port)" }
}

/// A text that is not a valid broker URL.
public struct InvalidBrokerURLError: LocalizedError, CustomStringConvertible {
    /// The problem, without the text itself, because the text may contain a password.
    public let reason: String
    /// One line that describes the problem.
    public var description: String {
        """
        The broker's URL must be amqp[s]://USER:PASSWORD@HOST:PORT[,HOST:PORT...][/VHOST]: \
        \(reason).
        """
    }
    /// The description.
    public var errorDescription: String? { description }
}
