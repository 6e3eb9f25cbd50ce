import AMQP
import NIOCore

/// A connection by which a test looks at a broker.
struct TestConnection: Sendable {
    private let connection: NIOLoopBound<Connection>
    private let eventLoop: any EventLoop

    init(_ connection: NIOLoopBound<Connection>, _ eventLoop: any EventLoop) {
        self.connection = connection
        self.eventLoop = eventLoop
    }

    /// How many messages and consumers a queue has; nil if it is not there.
    func state(of queue: String) async throws -> QueueState? {
        do {
            return try await onChannel { channel in
                channel.declareQueue(queue, .passive)
                    .flatMap { state in channel.close().map { state } }
            }
        } catch ConnectionFailure.channelClosed(let reason) where reason.code == 404 {
            return nil
        }
    }

    /// Does something on a channel of its own.
    func onChannel<Value: Sendable>(
        _ body: @escaping @Sendable (AMQP.Channel) -> EventLoopFuture<Value>
    ) async throws -> Value {
        try await eventLoop.flatSubmit {
            connection.value.openChannel().flatMap { body($0.value) }
        }
        .get()
    }

    /// Closes the connection.
    func close() async throws {
        let connection = connection
        try await eventLoop.submit { connection.value.abort(.closedHere) }.get()
    }
}
