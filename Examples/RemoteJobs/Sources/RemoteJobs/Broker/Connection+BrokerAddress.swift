import AMQP
import NIOCore

extension Connection {
    /// Connects to a node of a broker and opens a connection.
    ///
    /// - Parameters:
    ///   - address: Where the node is, and who logs in.
    ///   - eventLoop: Where the connection lives.
    /// - Returns: The connection, opened.
    /// - Throws: A ``ConnectionFailure``, or why there is no transport.
    package static func open(
        address: BrokerAddress,
        on eventLoop: any EventLoop
    ) async throws -> NIOLoopBound<Connection> {
        try await open(
            host: address.host,
            port: address.port,
            user: address.user,
            password: address.password,
            virtualHost: address.virtualHost,
            encryption: address.tls,
            on: eventLoop
        )
    }
}

extension BrokerAddress {
    /// How the client encrypts; nil for not at all.
    var tls: TLS? {
        switch encryption {
        case .none: nil
        case .tls(let authority): TLS(authority: authority)
        }
    }
}
