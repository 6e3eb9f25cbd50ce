import NIOCore
import NIOSSL

/// Encrypts a connection by TLS and checks the broker's certificate.
public struct TLS: Sendable {
    /// The PEM file with the trusted certificates, or nil for those of the system.
    public var authority: String?

    /// Trusts the certificates in a file.
    ///
    /// - Parameter authority: The PEM file, or nil for the certificates of the system.
    public init(authority: String? = nil) {
        self.authority = authority
    }

    func context() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let authority { configuration.trustRoots = .file(authority) }
        return try NIOSSLContext(configuration: configuration)
    }

    /// Creates the handler of one connection.
    static func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
        // A client may not request an address as a server name. The certificate may still name it.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }
}
