import Hummingbird
import NIOCore

/// What a request carries through the server, its connection included.
struct RequestScope: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

extension RequestScope {
    /// The client's address, without its port.
    var address: String { channel.remoteAddress?.ipAddress ?? "unknown" }
}

extension Request {
    /// What the gate looks at.
    var visitor: RequestGate.Visitor {
        RequestGate.Visitor(
            method: method,
            path: uri.path,
            host: head.authority,
            headers: headers
        )
    }
}
