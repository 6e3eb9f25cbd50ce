import HTTPTypes

/// Decides which requests are accepted, by host, origin and token.
struct RequestGate: Sendable {
    /// The relevant parts of a request, with cookies and token as they were sent.
    struct Visitor: Sendable {
        var method: HTTPRequest.Method
        var path: String
        var host: String?
        var headers: HTTPFields
    }

    /// Paths that need no token: the files of the login form, and the health check of monitors.
    static let openPaths: Set<String> = ["/health", "/login", "/login.js", "/app.css", "/icon.svg"]
    /// The cookie of login sessions.
    static let cookie = "job-server-session"

    let hosts: HostNames
    let secret: AccessSecret?

    /// The name of the visitor's token.
    ///
    /// It is nil if no token is needed or the visitor has sent no known one.
    func name(of visitor: Visitor) -> String? {
        guard let secret else { return nil }
        if let token = Self.token(of: visitor) { return secret.name(ofToken: token) }
        return Self.session(of: visitor).flatMap { secret.name(ofSession: $0) }
    }

    /// The reason for rejecting a visitor, or nil.
    func problem(of visitor: Visitor) -> HTTPProblem? {
        // The first `Host` field has become the visitor's host, so this is a second one.
        guard !visitor.headers.contains(.host) else {
            return HTTPProblem(.badRequest, "A request has one Host field.")
        }
        guard let host = visitor.host, hosts.contains(host) else {
            return HTTPProblem(.misdirectedRequest, "This server does not answer for this host.")
        }
        if !Self.isSafe(visitor.method) {
            if let problem = originProblem(visitor, host: host) { return problem }
        }
        if secret != nil, !Self.openPaths.contains(visitor.path), name(of: visitor) == nil {
            return HTTPProblem(
                .unauthorized,
                "A token is needed.",
                headers: [.wwwAuthenticate: "Bearer"]
            )
        }
        if !Self.isSafe(visitor.method), !Self.isJSON(visitor.headers[.contentType]) {
            return HTTPProblem(
                .unsupportedMediaType,
                "The content type must be application/json.",
                headers: [.accept: "application/json"]
            )
        }
        return nil
    }

    private func originProblem(_ visitor: Visitor, host: String) -> HTTPProblem? {
        let foreign = HTTPProblem(.forbidden, "Requests from other sites are refused.")
        for origin in visitor.headers[values: .origin] where !hosts.isOwn(origin, host: host) {
            return foreign
        }
        for site in visitor.headers[values: .secFetchSite]
        where site != "same-origin" && site != "none" {
            return foreign
        }
        return nil
    }

    /// The token of the `Authorization` field, or an empty text if the field has none.
    static func token(of visitor: Visitor) -> String? {
        guard let field = visitor.headers[.authorization] else { return nil }
        let words = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return "" }
        return String(words[1])
    }

    /// The session of the cookie.
    static func session(of visitor: Visitor) -> String? {
        visitor.headers[values: .cookie]
            .flatMap { $0.split(separator: ";") }
            .map { $0.trimmed }
            .first { $0.hasPrefix(cookie + "=") }
            .map { String($0.dropFirst(cookie.count + 1)) }
    }

    private static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        [.get, .head, .options].contains(method)
    }

    private static func isJSON(_ field: String?) -> Bool {
        let parts = (field ?? "").split(separator: ";").map { $0.trimmed.lowercased() }
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst()
            .allSatisfy {
                !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\""
            }
    }
}

extension HTTPField.Name {
    static let host = Self(parsed: "host") ?? .from
    static let forwardedProto = Self(parsed: "x-forwarded-proto") ?? .from
    /// Makes nginx pass an answer on without buffering.
    static let accelBuffering = Self(parsed: "x-accel-buffering") ?? .from
    static let secFetchSite = Self(parsed: "sec-fetch-site") ?? .origin
}

extension Substring {
    /// The text without leading and trailing spaces and tabs.
    var trimmed: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
