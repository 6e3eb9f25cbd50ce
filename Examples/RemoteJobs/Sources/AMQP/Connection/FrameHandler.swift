import NIOCore
import NIOSSL

/// Turns the bytes of a connection into frames.
final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Connection
    private var unread = ByteBuffer()

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Sends the client's greeting.
    func channelActive(context: ChannelHandlerContext) {
        connection.transportOpened(context.channel)
    }

    /// Reads all complete frames.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.bytesReceived()
        var bytes = unwrapInboundIn(data)
        if unread.readableBytes == 0 {
            unread = bytes
        } else {
            unread.discardReadBytes()
            unread.writeBuffer(&bytes)
        }
        do {
            while let frame = try unread.readFrame(longest: connection.longestFrame) {
                connection.received(frame)
            }
            if unread.readableBytes == 0 { unread = ByteBuffer() }
        } catch {
            unread = ByteBuffer()
            connection.wrongBytes(error)
        }
    }

    /// Reports that the transport has closed.
    func channelInactive(context: ChannelHandlerContext) {
        connection.transportClosed()
    }

    /// Treats an error of the transport as its end.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Reported first, because closing the transport reports only that it has gone, not the
        // reason.
        connection.transportFailed(error)
        context.close(promise: nil)
    }
}
