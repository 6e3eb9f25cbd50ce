import NIOCore
import NIOSSL

/// How a connection is encrypted: by TLS, with a broker whose certificate is checked.
public struct TLS: Sendable {
    /// The file, in PEM form, with the certificates that are trusted; nil for the system's.
    public var authority: String?

    /// Trusts the certificates of a file.
    ///
    /// - Parameter authority: The file, in PEM form; nil for the system's.
    public init(authority: String? = nil) {
        self.authority = authority
    }

    func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authority { configuration.trustRoots = .file(authority) }
        return try NIOSSLContext(configuration: configuration)
    }

    /// The handler of one connection.
    static func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        // An address is no name that a client may ask for; the certificate may still name it.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}
