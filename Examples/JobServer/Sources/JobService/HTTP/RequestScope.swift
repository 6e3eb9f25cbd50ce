import Hummingbird
import NIOCore

/// The context of a request, including its connection.
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
    /// The parts of the request that the gate checks.
    var visitor: RequestGate.Visitor {
        RequestGate.Visitor(
            method: method,
            path: uri.path,
            host: head.authority,
            headers: headers
        )
    }
}
