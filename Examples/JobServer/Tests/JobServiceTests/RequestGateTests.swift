import HTTPTypes
import Testing

@testable import JobService

@Suite struct RequestGateTests {
    private func status(
        _ method: HTTPRequest.Method = .post,
        _ path: String = "/jobs",
        host: String? = "127.0.0.1:8080",
        token: String? = nil,
        _ headers: HTTPFields = [.contentType: "application/json"]
    ) -> Int? {
        let gate = RequestGate(
            hosts: HostNames(
                own: ["127.0.0.1", "localhost", "::1"],
                allowed: ["jobs.example"]
            ),
            secret: token.map { AccessSecret(tokens: [AccessToken($0)]) }
        )
        let visitor = RequestGate.Visitor(method: method, path: path, host: host, headers: headers)
        return gate.problem(of: visitor)?.status.code
    }

    @Test(arguments: [
        "127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "jobs.example", "192.0.2.7",
        "[::2]:80",
    ])
    func ownHostsAreServed(host: String) {
        #expect(status(host: host) == nil)
    }

    @Test(arguments: [
        nil, "", "evil.example", "127.0.0.1.evil.example", "evil.example:8080", "1", "127.1", "[]",
    ])
    func otherHostsAreNot(host: String?) {
        #expect(status(host: host) == 421)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"), ("localhost", "http://localhost:80"),
        ("jobs.example", "https://jobs.example"), ("[::1]:8080", "http://[::1]:8080"),
    ])
    func ownOriginsMaySubmit(host: String, origin: String) {
        #expect(status(host: host, [.contentType: "application/json", .origin: origin]) == nil)
    }

    @Test(arguments: [
        "https://127.0.0.1:8080", "http://127.0.0.1:8081", "http://127.0.0.1",
        "http://evil.example",
        "null", "", "http://127.0.0.1:8080.evil.example", "http://localhost:8080",
    ])
    func foreignOriginsMayNot(origin: String) {
        #expect(status([.contentType: "application/json", .origin: origin]) == 403)
    }

    private func status(_ headers: HTTPFields) -> Int? {
        status(.post, "/jobs", headers)
    }

    @Test(arguments: [
        ("same-origin", nil), ("none", nil), ("same-site", 403), ("cross-site", 403), ("", 403),
    ])
    func fetchSiteMustBeTheSame(site: String, expected: Int?) {
        #expect(status([.contentType: "application/json", .secFetchSite: site]) == expected)
    }

    @Test(arguments: [
        ("application/json", nil), ("Application/JSON; charset=UTF-8", nil),
        ("application/json; charset=latin1", 415), ("text/plain", 415),
        ("application/jsonp", 415), ("application/x-www-form-urlencoded", 415),
    ])
    func contentTypeMustBeJSON(type: String, expected: Int?) {
        #expect(status([.contentType: type]) == expected)
        #expect(status([:]) == 415)
        #expect(status(.get, "/jobs", [:]) == nil)
    }

    @Test func aTokenIsNeededButForHealthAndTheForm() {
        #expect(status(.get, "/jobs", token: "secret", [:]) == 401)
        #expect(status(.get, "/metrics", token: "secret", [:]) == 401)
        #expect(status(.get, "/health", token: "secret", [:]) == nil)
        #expect(status(.post, "/login", token: "secret") == nil)
        #expect(status(.get, "/jobs", token: "secret", [.authorization: "Bearer secret"]) == nil)
        #expect(status(.get, "/jobs", token: "secret", [.authorization: "bearer secret"]) == nil)
        for wrong in ["Bearer secre", "Bearer secretsecret", "Basic secret", "secret", "Bearer "] {
            #expect(status(.get, "/jobs", token: "secret", [.authorization: wrong]) == 401)
        }
    }

    @Test func aSecondHostFieldIsRefused() {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.host] = "127.0.0.1"
        #expect(status(headers) == 400)
    }

    @Test func tokensMayHaveNamesAndMustBeLong() throws {
        let long = "0123456789abcdef"
        #expect(try AccessToken.tokens(in: long + "\n") == [AccessToken(long)])
        #expect(
            try AccessToken.tokens(in: "ann=\(long)\n\nbob=x\(long)")
                == [AccessToken(name: "ann", long), AccessToken(name: "bob", "x" + long)]
        )
        // A text that only looks like a name belongs to the token.
        #expect(try AccessToken.tokens(in: "YWJjZGVmZ2hpams=").first?.name == "token")
        for bad in ["", "\n ", "short", "\(long)\n\(long)x", "a=\(long)\na=\(long)"] {
            #expect(throws: StartUpError.self) { try AccessToken.tokens(in: bad) }
        }
    }

    @Test func theEleventhWrongTokenInARowWaitsASecondAndTheNextTwo() {
        var machine = WrongTokensStateMachine()
        for _ in 0..<10 {
            #expect(machine.tokenCame(from: "a", at: .zero) == .zero)
            machine.tokenWasWrong(from: "a")
        }
        #expect(machine.tokenCame(from: "a", at: .zero) == .seconds(1))
        #expect(machine.tokenCame(from: "a", at: .zero) == .seconds(2))
        #expect(machine.tokenCame(from: "b", at: .zero) == .zero)
        for _ in 3...20 { _ = machine.tokenCame(from: "a", at: .zero) }
        #expect(machine.tokenCame(from: "a", at: .zero) == nil)
        #expect(machine.tokenCame(from: "a", at: .seconds(30)) == .seconds(1))
        machine.tokenWasRight(from: "a")
        #expect(machine.tokenCame(from: "a", at: .seconds(30)) == .zero)
    }

    @Test func theConnectionThatIsSilentLongestMakesRoom() {
        var machine = SilentConnectionsStateMachine(limit: 2)
        #expect(machine.opened() == (1, nil))
        #expect(machine.opened() == (2, nil))
        machine.spokeOrClosed(1)
        #expect(machine.opened() == (3, nil))
        #expect(machine.opened() == (4, 2))
    }

    @Test func aSessionsCookieIsAsGoodAsTheToken() {
        let secret = AccessSecret(tokens: [AccessToken(name: "ann", "secret")])
        let session = secret.logIn("ann")
        let gate = RequestGate(hosts: HostNames(own: ["localhost"], allowed: []), secret: secret)
        func isKnown(_ cookie: String) -> Bool {
            let visitor = RequestGate.Visitor(
                method: .get,
                path: "/",
                host: "localhost",
                headers: [.cookie: cookie]
            )
            return gate.problem(of: visitor) == nil
        }
        #expect(isKnown("a=b; job-server-session=\(session)"))
        #expect(!isKnown("job-server-session=\(session)x"))
        #expect(!isKnown("job-server-session=secret"))
        #expect(!isKnown("job-server-session="))
        #expect(secret.name(ofSession: session) == "ann")
        secret.logOut(session)
        #expect(!isKnown("job-server-session=\(session)"))
    }
}
