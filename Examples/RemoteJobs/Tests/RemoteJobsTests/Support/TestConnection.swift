import AMQP
import NIOCore
import NIOPosix

@testable import RemoteJobs

/// A connection with which a test inspects a broker.
struct TestConnection: Sendable {
    private let connection: NIOLoopBound<Connection>
    private let eventLoop: any EventLoop

    init(_ connection: NIOLoopBound<Connection>, _ eventLoop: any EventLoop) {
        self.connection = connection
        self.eventLoop = eventLoop
    }

    /// Connects to a broker.
    init(to address: BrokerAddress) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        self.init(try await Connection.open(address: address, on: eventLoop), eventLoop)
    }

    /// Publishes messages and waits until the broker has answered all of them.
    func publish(_ messages: [Published]) async throws {
        let (connection, eventLoop) = (connection, eventLoop)
        try await eventLoop.flatSubmit {
            let channel = connection.value.openConfirmingChannel()
            let answers = messages.map { message in
                let answer = eventLoop.makePromise(of: Void.self)
                channel.publish(
                    to: message.exchange,
                    key: message.key,
                    message.properties,
                    message.body
                ) { outcome in
                    if outcome == .lost {
                        answer.fail(ConnectionError.transportLost)
                    } else {
                        answer.succeed()
                    }
                }
                return answer.futureResult
            }
            return EventLoopFuture.andAllSucceed(answers, on: eventLoop)
        }
        .get()
    }

    /// Returns the number of messages and consumers of a queue, or nil if it does not exist.
    func state(of queue: String) async throws -> QueueState? {
        do {
            let eventLoop = eventLoop
            return try await onChannel { channel in
                let bound = NIOLoopBound(channel, eventLoop: eventLoop)
                return channel.declareQueue(queue, .passive)
                    .flatMap { state in bound.value.close().map { state } }
            }
        } catch ConnectionError.channelClosed(let reason) where reason.code == 404 {
            return nil
        }
    }

    /// Runs a closure with a separate channel.
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

/// A message with its target.
struct Published: Sendable {
    var exchange = ""
    var key: String
    var properties = MessageProperties()
    var body = ByteBuffer()
}
