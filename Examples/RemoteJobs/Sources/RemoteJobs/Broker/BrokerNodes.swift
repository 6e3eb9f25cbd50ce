import AMQP
import Foundation
import NIOCore
import NIOPosix

/// The nodes of one broker, tried in turn.
struct BrokerNodes: Sendable {
    let addresses: [BrokerAddress]
    private var next = 0

    init(_ addresses: [BrokerAddress]) {
        precondition(!addresses.isEmpty, "A broker has at least one address")
        self.addresses = addresses
        // A random start spreads many workers over all nodes.
        next = Int.random(in: 0..<addresses.count)
    }

    /// The next address to try.
    mutating func takeNext() -> BrokerAddress {
        defer { next = (next + 1) % addresses.count }
        return addresses[next]
    }

    /// Hosts and ports, as shown in messages.
    var description: String { addresses.map(\.description).joined(separator: ", ") }

    /// Describes an error in reaching a broker in a few words.
    static func reason(of error: any Error) -> String {
        switch error {
        case let failure as ConnectionError: return failure.description
        case let error as NIOConnectionError:
            guard let first = error.connectionErrors.first?.error else { return "no such host" }
            return reason(of: first)
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case is ChannelError: return "no answer"
        default: return String(describing: error)
        }
    }
}
