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
            secret: token.map { AccessSecret(token: $0) }
        )
        let visitor = RequestGate.Visitor(method: method, path: path, host: host, headers: headers)
        return gate.problem(of: visitor)?.status.code
    }

    @Test(arguments: ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "jobs.example"])
    func ownHostsAreServed(host: String) {
        #expect(status(host: host) == nil)
    }

    @Test(arguments: [
        nil, "", "evil.example", "127.0.0.1.evil.example", "evil.example:8080", "[::2]",
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

    @Test func aSessionsCookieIsAsGoodAsTheToken() {
        let secret = AccessSecret(token: "secret")
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
        #expect(isKnown("a=b; job-server-session=\(secret.session)"))
        #expect(!isKnown("job-server-session=\(secret.session)x"))
        #expect(!isKnown("job-server-session=secret"))
        #expect(!isKnown("job-server-session="))
    }
}
