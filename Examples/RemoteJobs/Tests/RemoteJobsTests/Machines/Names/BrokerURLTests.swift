import Foundation
import Testing

@testable import RemoteJobs

@Suite struct BrokerURLTests {
    /// URLs with an `@` after the host that once changed the host.
    @Test(arguments: [
        ("amqps://u:p@host?cacertfile=/etc/me@x/ca.pem", "u", "p", "/", "/etc/me@x/ca.pem"),
        ("amqp://u:p@host/v@prod", "u", "p", "v@prod", nil),
        ("amqps://host?cacertfile=/a@b.pem", "guest", "guest", "/", "/a@b.pem"),
        ("amqps://u:p@host/v@w?cacertfile=/a@b.pem", "u", "p", "v@w", "/a@b.pem"),
        ("amqp://u:p@ss@host", "u", "p@ss", "/", nil),
        ("amqp://u%40x:p%2F%3F%40@host/%2F", "u@x", "p/?@", "/", nil),
    ])
    func onlyTheAuthorityNamesTheHost(
        _ url: String,
        _ user: String,
        _ password: String,
        _ virtualHost: String,
        _ file: String?
    ) throws {
        let parsed = try BrokerURL(url)
        #expect(parsed.nodes.map(\.host) == ["host"])
        #expect(parsed.user == user)
        #expect(parsed.password == password)
        #expect(parsed.virtualHost == virtualHost)
        #expect(parsed.authorityFile == file)
    }

    @Test(arguments: [
        "http://host", "amqp://", "amqp://u@", "amqp://:p@host", "amqp://u:p/q@host",
        "amqp://u:12/3@host", "amqp://u:12?3@host", "amqp://u:12#3@host", "amqp://host/a/b",
        "amqp://host?cacertfile=/a", "amqps://host?cafile=/a", "amqps://host?cacertfile=",
        "amqps://host?cacertfile=/a&b=c", "amqp://host:0", "amqp://host:65536", "amqp://host:+5672",
        "amqp://host:", "amqp://host:5672:5673", "amqp://h1,,h2", "amqp://[::1", "amqp://[::1]x",
        "amqp://::1", "amqp://ho st", "amqp://h\\o", "amqp://host%2Fx", "amqp://u%00:p@host",
        "amqp://u:p%00@host", "amqp://host/%00", "amqp://u:%FF@host", "amqp://u:%4@host",
        "amqp://host/%zz", "amqp:/\u{301}/host",
    ])
    func wrongURLIsRefusedWithoutItsText(_ url: String) {
        #expect(throws: InvalidBrokerURLError.self) { try BrokerURL(url) }
        #expect(throws: InvalidBrokerURLError.self) { try BrokerAddress.parse(url) }
    }

    @Test func addressInBracketsMayHaveAPort() throws {
        let parsed = try BrokerURL("amqp://u:p@[::1]:5,[fe80::1%eth0],h2:7")
        #expect(
            parsed.nodes == [
                .init(host: "::1", port: 5), .init(host: "fe80::1%eth0", port: 5_672),
                .init(host: "h2", port: 7),
            ]
        )
    }

    /// Parses random URLs and compares the parts with RFC 3986, appendix B.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func randomURLHasThePartsThatTheStandardFinds(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let pieces = [
            "amqp://", "amqps://", "u", "p", "host", "h2", "5672", "12", ":", "@", "/", "?", "#",
            ",",
            "[::1]", "%40", "%2F", "%3A", "%", "%00", "%C3%A9", "\u{301}", "é", "e\u{301}", " ",
            "\\",
            "cacertfile=", "?cacertfile=/a@b", "v@w", "&", "@x/ca.pem", ".", "..", "K", "\u{212A}",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...7, using: &generator)
            let scheme = pieces[Int.random(in: 0...1, using: &generator)]
            let url = (0..<count)
                .reduce(into: scheme) { text, _ in
                    text += pieces[Int.random(in: 2..<pieces.count, using: &generator)]
                }
            guard let parsed = try? BrokerURL(url) else { continue }
            accepted += 1
            let expected = try #require(Self.parts(of: url), "\(url)")
            let (user, password) =
                expected.user.map { ($0, expected.password) } ?? ("guest", "guest")
            #expect(
                parsed.nodes.map { Array($0.host.utf8) } == expected.hosts.map { Array($0.utf8) }
            )
            #expect(Array(parsed.user.utf8) == Array(user.utf8), "\(url)")
            #expect(Array(parsed.password.utf8) == Array((password ?? "?").utf8), "\(url)")
        }
        #expect(accepted > 1_000)
    }

    /// Encodes random parts by the standard and parses them again.
    @Test(arguments: [4, 5] as [UInt64])
    func partsThatAreEncodedComeBack(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let characters = Array("aZ0-._~:/?#[]@!$&'()*+,;=% \"<>\\^`{|}é\u{301}\u{212A}€\u{1F600}")
        func text(_ most: Int) -> String {
            let count = Int.random(in: 1...most, using: &generator)
            return String(
                (0..<count)
                    .map { _ in characters[Int.random(in: 0..<characters.count, using: &generator)]
                    }
            )
        }
        func encoded(_ text: String) -> String {
            text.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        for _ in 0..<5_000 {
            let (user, password, virtualHost, file) = (text(8), text(8), text(8), text(8))
            let parsed = try BrokerURL(
                "amqps://\(encoded(user)):\(encoded(password))@host/\(encoded(virtualHost))"
                    + "?cacertfile=\(encoded(file))"
            )
            #expect(parsed.nodes == [.init(host: "host", port: 5_671)])
            #expect(Array(parsed.user.utf8) == Array(user.utf8))
            #expect(Array(parsed.password.utf8) == Array(password.utf8))
            #expect(Array(parsed.virtualHost.utf8) == Array(virtualHost.utf8))
            #expect(parsed.authorityFile.map { Array($0.utf8) } == Array(file.utf8))
        }
    }

    private struct Parts {
        var hosts: [String]
        var user: String?
        var password: String?
    }

    /// Splits the authority, found by the standard's regular expression, scalar by scalar.
    private static func parts(of url: String) -> Parts? {
        let pattern = "^([^:/?#]+):(//([^/?#]*))?([^?#]*)(\\?([^#]*))?(#(.*))?$"
        let range = NSRange(url.startIndex..<url.endIndex, in: url)
        guard let expression = try? NSRegularExpression(pattern: pattern),
            let match = expression.firstMatch(in: url, range: range)
        else { return nil }
        let authority = Array(
            (url as NSString).substring(with: match.range(at: 3)).unicodeScalars
        )
        let at = authority.lastIndex(of: "@")
        let hosts = authority[(at.map { $0 + 1 } ?? 0)...]
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { node in
                node.first == "["
                    ? text(node.dropFirst().prefix { $0 != "]" }) : text(node.prefix { $0 != ":" })
            }
        guard let at else { return Parts(hosts: hosts) }
        let user = authority[..<at].prefix { $0 != ":" }
        let password = authority[user.endIndex..<at].dropFirst()
        return Parts(
            hosts: hosts,
            user: text(user).removingPercentEncoding,
            password: text(password).removingPercentEncoding
        )
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

/// Pseudorandom numbers, the same for the same seed.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
