import Foundation

/// Parses the URL of a broker, byte by byte.
///
/// Only the authority, which ends at the first `/` or `?`, contains the user, the password and the
/// hosts. An `@` in the virtual host or in a file name cannot change the host. Therefore, the
/// password is only sent to hosts that the authority names.
struct BrokerURL {
    /// The host and the port of a node.
    struct Node: Equatable {
        let host: String
        let port: Int
    }

    let isEncrypted: Bool
    private(set) var user = "guest"
    private(set) var password = "guest"
    private(set) var nodes: [Node] = []
    private(set) var virtualHost = "/"
    /// The file with the trusted certificates, or nil for those of the system.
    private(set) var authorityFile: String?

    /// Parses a URL.
    ///
    /// - Parameter text: The URL.
    /// - Throws: ``InvalidBrokerURLError``.
    init(_ text: String) throws(InvalidBrokerURLError) {
        let bytes = Array(text.utf8)
        let schemes = [(true, Array("amqps://".utf8)), (false, Array("amqp://".utf8))]
        guard let (isEncrypted, scheme) = schemes.first(where: { bytes.starts(with: $0.1) }) else {
            throw InvalidBrokerURLError(reason: "it does not begin with amqp:// or amqps://")
        }
        self.isEncrypted = isEncrypted
        let rest = bytes[scheme.count...]
        guard !rest.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "#") }) else {
            throw InvalidBrokerURLError(
                reason: "spaces, control characters and # must be written with percent signs"
            )
        }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") }
        let hasUser = try readAuthority(authority)
        try readPath(path, hasUser: hasUser)
        try readQuery(rest[path.endIndex...])
    }

    /// - Returns: Whether the authority names a user.
    private mutating func readAuthority(
        _ authority: ArraySlice<UInt8>
    ) throws(InvalidBrokerURLError) -> Bool {
        let at = authority.lastIndex(of: UInt8(ascii: "@"))
        if let at {
            let parts = authority[..<at]
                .split(
                    separator: UInt8(ascii: ":"),
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
            guard let user = Self.decoded(parts[0]), !user.isEmpty,
                let password = parts.count == 1 ? "" : Self.decoded(parts[1])
            else {
                throw InvalidBrokerURLError(reason: "its user or password is wrongly encoded")
            }
            (self.user, self.password) = (user, password)
        }
        let hosts = at.map { authority[($0 + 1)...] } ?? authority
        for node in hosts.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            nodes.append(try readNode(node))
        }
        return at != nil
    }

    private func readNode(_ node: ArraySlice<UInt8>) throws(InvalidBrokerURLError) -> Node {
        let (host, rest): (ArraySlice<UInt8>, ArraySlice<UInt8>)
        let isPlain: Bool
        if node.first == UInt8(ascii: "[") {
            guard let end = node.firstIndex(of: UInt8(ascii: "]")) else { throw Self.wrongHost }
            (host, rest) = (node[(node.startIndex + 1)..<end], node[(end + 1)...])
            isPlain = host.allSatisfy(Self.isOfAddress)
        } else {
            host = node.prefix { $0 != UInt8(ascii: ":") }
            rest = node[host.endIndex...]
            isPlain = host.allSatisfy(Self.isOfName)
        }
        guard !host.isEmpty, isPlain, let name = String(validating: host, as: UTF8.self) else {
            throw Self.wrongHost
        }
        guard !rest.isEmpty else { return Node(host: name, port: isEncrypted ? 5_671 : 5_672) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), 1...5 ~= digits.count,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            case let port = digits.reduce(0, { $0 * 10 + Int($1 - UInt8(ascii: "0")) }),
            1...65_535 ~= port
        else { throw InvalidBrokerURLError(reason: "a port is a number from 1 to 65535") }
        return Node(host: name, port: port)
    }

    private mutating func readPath(
        _ path: ArraySlice<UInt8>,
        hasUser: Bool
    ) throws(InvalidBrokerURLError) {
        let text = path.dropFirst()
        guard hasUser || !text.contains(UInt8(ascii: "@")) else {
            // An unescaped "/" in a password may have cut it off, and then this host is part of the
            // user.
            throw InvalidBrokerURLError(
                reason: "an @ behind the host must be written %40, and a / in a password %2F"
            )
        }
        guard !text.contains(UInt8(ascii: "/")), let name = Self.decoded(text),
            name.utf8.count <= 255
        else {
            throw InvalidBrokerURLError(reason: "its virtual host is too long or wrongly encoded")
        }
        if !name.isEmpty { virtualHost = name }
    }

    private mutating func readQuery(_ query: ArraySlice<UInt8>) throws(InvalidBrokerURLError) {
        guard !query.isEmpty else { return }
        let name = Array("?cacertfile=".utf8)
        guard isEncrypted, query.starts(with: name), !query.contains(UInt8(ascii: "&")),
            let file = Self.decoded(query.dropFirst(name.count)), !file.isEmpty
        else {
            throw InvalidBrokerURLError(reason: "only ?cacertfile=FILE may follow, with amqps")
        }
        authorityFile = file
    }

    private static let wrongHost = InvalidBrokerURLError(reason: "a host is missing or wrong")

    /// Whether a byte may be part of a host name.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    /// Whether a byte may be part of an IPv6 address with its zone.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        isOfName(byte) && byte < 0x80 || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%")
    }

    /// Decodes percent signs.
    ///
    /// Returns nil if the text is not UTF-8 or contains a NUL.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded.contains(0) ? nil : String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
