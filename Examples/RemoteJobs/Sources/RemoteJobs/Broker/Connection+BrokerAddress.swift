import AMQP
import NIOCore

extension Connection {
    /// Connects to a node of a broker and opens a connection.
    ///
    /// - Parameters:
    ///   - address: The node and the user that logs in.
    ///   - eventLoop: The event loop of the connection.
    /// - Returns: The open connection.
    /// - Throws: A ``ConnectionError``, or the error that prevented the transport.
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
    /// The client's encryption, or nil for none.
    var tls: TLS? {
        switch encryption {
        case .none: nil
        case .tls(let authority): TLS(authority: authority)
        }
    }
}
