import Foundation
import XCTest

/// Tests the answers to invalid requests.
final class BadRequestTests: XCTestCase {
    private static let json = ["Content-Type: application/json"]

    /// A request with the expected status and field of its answer.
    private struct BadRequest {
        var method = "POST"
        var path = "/jobs"
        var headers = BadRequestTests.json
        var host: String?
        var body: String? = "{}"
        let status: Int
        var field: String?
    }

    private static func submit(_ kind: String, _ parameters: String) -> String {
        "{\"kind\":\"\(kind)\",\"parameters\":\(parameters)}"
    }

    private static func get(_ path: String, _ status: Int, _ field: String? = nil) -> BadRequest {
        BadRequest(method: "GET", path: path, headers: [], body: nil, status: status, field: field)
    }

    private static func body(_ body: String, _ status: Int, _ field: String? = nil) -> BadRequest {
        BadRequest(body: body, status: status, field: field)
    }

    /// Bodies that are not JSON, too large, or not declared as JSON.
    private static let bodies: [BadRequest] = [
        body("", 400), body("{", 400), body("{} {}", 400), body("\u{FEFF}{}", 400),
        body("{'kind':'steps'}", 400), body("{\"kind\":NaN}", 400),
        body("{\"kind\":\"\\ud800\"}", 400), body(String(repeating: "[", count: 60_000), 400),
        body(String(repeating: " ", count: 64 * 1_024 + 1), 413),
        BadRequest(
            headers: json + ["Transfer-Encoding: chunked"],
            body: nil,
            status: 413
        ),
        BadRequest(headers: ["Content-Type: text/plain"], status: 415),
        BadRequest(headers: ["Content-Type: application/json; charset=latin1"], status: 415),
        BadRequest(headers: [], status: 415),
        BadRequest(path: "/jobs/1/cancel", headers: [], body: "", status: 415),
        BadRequest(path: "/jobs/1/run-again", headers: [], body: "", status: 415),
    ]

    /// Requests from other origins and hosts.
    private static let strangers: [BadRequest] = [
        BadRequest(headers: json + ["Origin: http://evil.example"], status: 403),
        BadRequest(headers: json + ["Origin: null"], status: 403),
        BadRequest(headers: json + ["Origin: http://127.0.0.1:1"], status: 403),
        BadRequest(headers: json + ["Sec-Fetch-Site: cross-site"], status: 403),
        BadRequest(headers: json + ["Sec-Fetch-Site: same-site"], status: 403),
        BadRequest(host: "evil.example", status: 421),
        BadRequest(headers: json + ["Host: evil.example"], status: 400),
        BadRequest(method: "GET", headers: [], host: "127.0.0.1.evil", body: nil, status: 421),
    ]

    /// Submissions from which no job can be created.
    private static let submissions: [BadRequest] = [
        body("[]", 422), body("null", 422), body("{}", 422, "kind"),
        body("{\"kind\":7}", 422, "kind"), body("{\"kind\":\"none\"}", 422, "kind"),
        body("{\"kind\":\"steps\",\"key\":1}", 422, "key"),
        body("{\"kind\":\"steps\",\"key\":\"\"}", 422, "key"),
        body("{\"kind\":\"steps\",\"key\":\"k\\u0000a\"}", 422, "key"),
        body("{\"kind\":\"steps\\u0000\"}", 422, "kind"),
        body("{\"kind\":\"steps\",\"priority\":\"high\"}", 422, "priority"),
        body("{\"kind\":\"steps\",\"priority\":1e30}", 422, "priority"),
        body("{\"kind\":\"steps\",\"runAt\":\"2030-01-01\"}", 422, "runAt"),
        body("{\"kind\":\"steps\",\"runAt\":-1}", 422, "runAt"),
        body("{\"kind\":\"steps\",\"maxAttempts\":5}", 400, "maxAttempts"),
        body("{\"kind\":\"steps\",\"kind\":\"steps\"}", 400),
        body(submit("steps", "[]"), 422, "parameters"),
        body(submit("steps", "{\"count\":1}"), 422, "milliseconds"),
        body(submit("steps", "{\"count\":-1,\"milliseconds\":0}"), 422, "count"),
        body(submit("steps", "{\"count\":1.5,\"milliseconds\":0}"), 422, "count"),
        body(submit("steps", "{\"count\":1e30,\"milliseconds\":0}"), 422, "count"),
        body(submit("steps", "{\"count\":\"1\",\"milliseconds\":0}"), 422, "count"),
        body(submit("steps", "{\"count\":1000001,\"milliseconds\":0}"), 422, "count"),
        body(submit("steps", "{\"count\":1,\"milliseconds\":3600001}"), 422, "milliseconds"),
        body(submit("steps", "{\"count\":1,\"milliseconds\":0,\"width\":0}"), 422, "width"),
        body(submit("steps", "{\"count\":1,\"milliseconds\":0,\"fails\":2}"), 422, "fails"),
        body(submit("steps", "{\"count\":1,\"milliseconds\":0,\"stubborn\":1}"), 422, "stubborn"),
        body(submit("steps", "{\"count\":1,\"milliseconds\":0,\"colour\":1}"), 422, "colour"),
        body(submit("find-duplicates", "{\"folder\":\"/\"}"), 422, "folder"),
        body(submit("find-duplicates", "{\"folder\":\"\"}"), 422, "folder"),
        body(submit("find-duplicates", "{\"folder\":\"/tmp/../etc\"}"), 422, "folder"),
        body(submit("find-duplicates", "{\"folder\":\"/\\u0000\"}"), 422, "folder"),
    ]

    /// Lists, runs and paths that do not exist.
    private static let paths: [BadRequest] = [
        get("/jobs?limit=0", 400, "limit"), get("/jobs?limit=501", 400, "limit"),
        get("/jobs?limit=1e2", 400, "limit"), get("/jobs?before=x", 400, "before"),
        get("/jobs?before=-1", 400, "before"), get("/jobs?state=done", 400, "state"),
        get("/jobs?text=a%00b", 400, "text"), get("/jobs?kind=steps%00x", 400, "kind"),
        get("/jobs/99", 404), get("/jobs/0", 404), get("/jobs/01", 404), get("/jobs/-1", 404),
        get("/jobs/x", 404), get("/jobs/99999999999999999999", 404),
        get("/jobs/99/timeline.svg", 404), get("/jobs/99/timeline.json", 404),
        get("/nothing", 404), get("/..%2f..%2fetc/passwd", 404),
        BadRequest(path: "/jobs/99/cancel", status: 404),
        BadRequest(path: "/jobs/99/run-again", status: 404),
        BadRequest(method: "DELETE", status: 404),
        BadRequest(method: "PUT", path: "/health", status: 404),
    ]

    func testEachIsAnsweredInOneForm() throws {
        let server = try ServerProcess(in: TestFolder())
        for bad in Self.bodies + Self.strangers + Self.submissions + Self.paths {
            let isChunked = bad.headers.contains { $0.hasSuffix("chunked") }
            let answer =
                isChunked
                ? try sendChunks(bad, to: server)
                : try server.request(
                    bad.method,
                    bad.path,
                    bad.headers,
                    host: bad.host,
                    body: bad.body
                )
            let what = "\(bad.method) \(bad.path) \(bad.headers) \((bad.body ?? "").prefix(80))"
            XCTAssertEqual(answer.status, bad.status, what)
            XCTAssertEqual(answer.field, bad.field, what)
            XCTAssertTrue((answer.json["error"] as? String)?.hasSuffix(".") == true, what)
            XCTAssertEqual(Set(answer.json.keys), ["error", "field"], what)
        }
        XCTAssertEqual(try server.states(), [:])
    }

    /// Sends a body that is one byte too long, without its length in a header.
    private func sendChunks(_ bad: BadRequest, to server: ServerProcess) throws -> Answer {
        let connection = try Connection(port: server.port)
        let head = ["POST \(bad.path) HTTP/1.1", "Host: 127.0.0.1"] + bad.headers
        try connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        let chunk = String(repeating: " ", count: 1_024)
        for _ in 0..<64 { try connection.send("400\r\n\(chunk)\r\n") }
        try connection.send("1\r\n \r\n0\r\n\r\n")
        return try connection.answer()
    }

    func testRunAgainRefusesAFolderThatHasGone() throws {
        let folder = try TestFolder()
        let searched = folder.path + "/searched"
        try FileManager.default.createDirectory(
            atPath: searched,
            withIntermediateDirectories: true
        )
        let server = try ServerProcess(in: folder, ["--allow", folder.path])
        let id =
            try server.post(
                "/jobs",
                Self.submit("find-duplicates", "{\"folder\":\"\(searched)\"}")
            )
            .id
        try server.wait(for: id, "succeeded")
        try FileManager.default.removeItem(atPath: searched)
        let answer = try server.post("/jobs/\(id)/run-again")
        XCTAssertEqual(answer.status, 422)
        XCTAssertEqual(answer.field, "folder")
    }

    func testBrokenRequestsEndTheirConnectionAndNothingElse() throws {
        let server = try ServerProcess(in: TestFolder())
        let head = "POST /jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        for broken in [
            head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
            head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
            "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        ] {
            let connection = try Connection(port: server.port)
            try connection.send(broken)
            let status = try? connection.head().status
            XCTAssertTrue(status == nil || status == 400, "\(broken): \(status ?? 0)")
        }
        let cut = try Connection(port: server.port)
        try cut.send(head + "Content-Length: 500\r\n\r\n{")
        cut.shut()
        XCTAssertEqual(try server.get("/health").status, 200)
    }
}
