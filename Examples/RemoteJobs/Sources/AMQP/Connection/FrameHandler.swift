import NIOCore
import NIOSSL

/// Makes frames of a connection's bytes.
final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Connection
    private var unread = ByteBuffer()

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Says what a client says first.
    func channelActive(context: ChannelHandlerContext) {
        connection.transportOpened(context.channel)
    }

    /// Reads all frames that are whole.
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

    /// Tells that the other side has gone.
    func channelInactive(context: ChannelHandlerContext) {
        connection.transportClosed()
    }

    /// Treats an error of the transport as its end.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Closing tells that the transport has gone, which is not why.
        connection.transportFailed(error)
        context.close(promise: nil)
    }
}
