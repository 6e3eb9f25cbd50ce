import JobStore
import NIOCore

/// The names that requests may use for this server.
struct HostNames: Sendable {
    private let own: Set<Name>
    private let allowed: Set<Name>

    /// Names a server.
    ///
    /// - Parameters:
    ///   - own: The names and addresses of this host.
    ///   - allowed: Names that lead here, perhaps through a proxy that speaks TLS.
    init(own: [String], allowed: [String]) {
        self.own = Set(own.map { Self.name($0) })
        self.allowed = Set(allowed.map { Self.name($0) })
    }

    /// Whether a `Host` field names this server, with any port.
    ///
    /// An address always does: no page of another site can make a browser send it here under its own name.
    func contains(_ host: String) -> Bool {
        let name = Self.name(host)
        return own.contains(name) || allowed.contains(name) || Self.isAddress(name.text)
    }

    private static func isAddress(_ name: String) -> Bool {
        (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    /// Whether an `Origin` is the page that this server sent: same scheme, name and port as the `Host` field.
    ///
    /// Of an allowed name the page may have come by TLS, which a proxy has ended.
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

    /// Name and port; the scheme's own port where none is named.
    private static func authority(_ text: Substring, port: String) -> Name {
        let name = Self.name(String(text)).text
        let rest = text.dropFirst(text.first == "[" ? name.count + 2 : name.count)
        return Name(name + (rest.hasPrefix(":") && rest.count > 1 ? rest : ":\(port)"))
    }

    /// The name without a port, in lower case, and without the brackets of an IPv6 address.
    private static func name(_ host: String) -> Name {
        let host = lowercased(host)
        if host.hasPrefix("[") { return Name(host.dropFirst().prefix { $0 != "]" }) }
        // An address of IPv6 without brackets has no port.
        if host.count(where: { $0 == ":" }) > 1 { return Name(host) }
        return Name(host.prefix { $0 != ":" })
    }

    /// Lowercases the letters of ASCII alone: the sign for Kelvin is no `k`.
    private static func lowercased(_ text: String) -> String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: text.utf8.map { capitals ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
