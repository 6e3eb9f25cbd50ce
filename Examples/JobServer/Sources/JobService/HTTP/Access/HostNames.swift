import JobStore
import NIOCore

/// The host names that requests may use for this server.
struct HostNames: Sendable {
    private let own: Set<Name>
    private let allowed: Set<Name>

    /// Creates the names of a server.
    ///
    /// - Parameters:
    ///   - own: The names and addresses of this host.
    ///   - allowed: Further names of this server, for example of a proxy with TLS.
    init(own: [String], allowed: [String]) {
        self.own = Set(own.map { Self.name($0) })
        self.allowed = Set(allowed.map { Self.name($0) })
    }

    /// Whether a `Host` field names this server, with any port.
    ///
    /// An address is always allowed, because a page that reaches this server by DNS rebinding sends
    /// the name of its own site, never an address.
    func contains(_ host: String) -> Bool {
        let name = Self.name(host)
        return own.contains(name) || allowed.contains(name) || Self.isAddress(name.text)
    }

    private static func isAddress(_ name: String) -> Bool {
        (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    /// Whether an `Origin` is this server's page, with the scheme, name and port of the `Host`
    /// field.
    ///
    /// If the name is allowed explicitly, the page may have come by TLS, which a proxy has
    /// terminated.
    func isOwn(_ origin: String, host: String) -> Bool {
        let origin = Self.lowercased(origin)
        if origin.hasPrefix("http://") {
            return Self.authority(origin.dropFirst(7), port: "80")
                == Self.authority(Self.lowercased(host)[...], port: "80")
        }
        guard origin.hasPrefix("https://"), allowed.contains(Self.name(host)) else { return false }
        return Self.authority(origin.dropFirst(8), port: "443")
            == Self.authority(Self.lowercased(host)[...], port: "443")
    }

    /// The name and the port.
    ///
    /// If no port is named, it is the default port of the scheme.
    private static func authority(_ text: Substring, port: String) -> Name {
        let name = Self.name(String(text)).text
        let rest = text.dropFirst(text.first == "[" ? name.count + 2 : name.count)
        return Name(name + (rest.hasPrefix(":") && rest.count > 1 ? rest : ":\(port)"))
    }

    /// The name without a port, in lower case, and without the brackets of an IPv6 address.
    private static func name(_ host: String) -> Name {
        let host = lowercased(host)
        if host.hasPrefix("[") { return Name(host.dropFirst().prefix { $0 != "]" }) }
        // An IPv6 address without brackets has no port.
        if host.count(where: { $0 == ":" }) > 1 { return Name(host) }
        return Name(host.prefix { $0 != ":" })
    }

    /// Lowercases only ASCII letters, because otherwise the Kelvin sign would become a `k`.
    private static func lowercased(_ text: String) -> String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: text.utf8.map { capitals ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
