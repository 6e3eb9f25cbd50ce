import Foundation
import HTTPTypes
import Hummingbird
import JobKit
import JobStore
import NIOCore
import PrometheusText

/// What each path answers.
struct JobRoutes: Sendable {
    /// How large a body may be, in bytes.
    static let bodyLimit = 64 * 1_024

    let runner: Runner
    let page: Page
    let events: EventStream
    let metrics: PrometheusFactory?
    let secret: AccessSecret?

    private var submissions: Submissions { Submissions(runner: runner) }

    /// The routes as a router has them.
    func router() -> Router<RequestScope> {
        let router = Router(
            context: RequestScope.self,
            options: [.autoGenerateHeadEndpoints]
        )
        addPage(to: router)
        router.post("jobs") { request, _ in try await submit(request) }
        router.get("jobs") { request, _ in try await list(request) }
        router.get("jobs/{id}") { _, context in try await detail(id(context)) }
        router.post("jobs/{id}/cancel") { request, context in
            try await collect(request)
            try await runner.cancel(id(context))
            return Reply.json(try await runJSON(id(context)), status: .accepted)
        }
        router.post("jobs/{id}/run-again") { request, context in
            try await collect(request)
            return created(try await submissions.runAgain(id(context)))
        }
        router.get("jobs/{id}/timeline.svg") { _, context in
            let timeline = try await timeline(id(context))
            return await offPool { TimelineDrawing.response(timeline.svg()) }
        }
        router.get("jobs/{id}/timeline.json") { _, context in
            let timeline = try await timeline(id(context))
            let trace = await offPool { [UInt8](timeline.chromeTrace()) }
            return Reply.bytes(trace, type: "application/json; charset=utf-8")
        }
        router.get("events") { request, context in
            try events.response(to: request, channel: context.channel)
        }
        router.get("health") { _, _ in try await health() }
        router.get("metrics") { _, _ in
            guard let metrics else { throw HTTPProblem.unknownPath }
            return Reply.text(metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8")
        }
        return router
    }

    private func addPage(to router: Router<RequestScope>) {
        router.get("") { _, _ in page.index }
        for (path, response) in page.files {
            router.get(RouterPath(path)) { _, _ in response }
        }
        router.post("login") { request, _ in try await logIn(request) }
        router.get("kinds") { _, _ in
            let kinds = JSONText.array(runner.kinds.all.map(\.json))
            return Reply.json(
                JSONText.object([
                    "kinds": kinds,
                    "folders": JSONText.array(
                        runner.environment.folders.paths.map { JSONText.quoted($0) }
                    ),
                ])
            )
        }
    }

    // MARK: - Runs

    private func submit(_ request: Request) async throws -> Response {
        let body = try await json(request)
        guard let members = body.members else {
            throw HTTPProblem(.unprocessableContent, "The body must be an object.")
        }
        guard let kind = members["kind"]?.text else {
            throw HTTPProblem(.unprocessableContent, "kind must be a text.", field: "kind")
        }
        var key: String?
        switch members["key"] ?? .null {
        case .null: break
        case .string(let text): key = text
        default: throw HTTPProblem(.unprocessableContent, "key must be a text.", field: "key")
        }
        var parameters = members["parameters"] ?? .null
        if parameters == .null { parameters = .object([:]) }
        let (record, isNew) = try await submissions.submit(
            kind: kind,
            parameters: parameters,
            key: key
        )
        return isNew ? created(record) : Reply.json(record.json)
    }

    private func created(_ record: RunRecord) -> Response {
        Reply.json(record.json, status: .created, headers: [.location: "/jobs/\(record.id)"])
    }

    private func list(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        var limit = 50
        if let text = query["limit"] {
            guard let value = Int(text), (1...500).contains(value) else {
                throw HTTPProblem(.badRequest, "limit must be from 1 to 500.", field: "limit")
            }
            limit = value
        }
        var before: Int64?
        if let text = query["before"] {
            guard let value = Int64(text), value > 0 else {
                throw HTTPProblem(.badRequest, "before must be a run's number.", field: "before")
            }
            before = value
        }
        var state: RunState?
        if let text = query["state"] {
            guard let value = RunState(rawValue: String(text)) else {
                let words = RunState.allCases.map(\.rawValue).joined(separator: ", ")
                throw HTTPProblem(.badRequest, "state must be one of \(words).", field: "state")
            }
            state = value
        }
        let stored = try await runner.store.runs(limit: limit, before: before, state: state)
        // A run may have gone on since the database was asked; then it is none of these.
        let newest = runner.board.newest(stored).filter { state == nil || $0.state == state }
        return Reply.json("{\"runs\":" + JSONText.array(newest.map(\.json)) + "}")
    }

    private func runJSON(_ id: Int64) async throws -> String {
        guard let detail = try await runner.store.detail(id) else { throw RunProblem.unknownRun }
        return runner.board.newest([detail.record])[0].json
    }

    private func detail(_ id: Int64) async throws -> Response {
        // The live run is looked up first: one that ends meanwhile is in the database then.
        let live = runner.live(id)
        guard let detail = try await runner.store.detail(id) else { throw RunProblem.unknownRun }
        var tasks = "null"
        var stall: String?
        if let live, !detail.record.state.isEnd {
            runner.board.put(live.sample())
            (tasks, stall) = await offPool {
                // The job's own line, and one that counts what was left out.
                let lines = live.job.explainStall(limit: 58)
                return ((try? ErrorText.json(live.job.snapshot(limit: 200))) ?? "null", lines)
            }
        }
        let record = runner.board.newest([detail.record])[0]
        return Reply.json(
            "{" + record.jsonMembers + ",\"parameters\":" + detail.parameters + ",\"result\":"
                + (detail.result ?? "null") + ",\"tasks\":" + tasks + ",\"stall\":"
                + JSONText.quoted(stall) + "}"
        )
    }

    private func timeline(_ id: Int64) async throws -> Timeline {
        if let live = runner.live(id) { return await offPool { live.recorder.timeline } }
        guard let detail = try await runner.store.detail(id) else { throw RunProblem.unknownRun }
        // It is said to run before its kind has made the job, of which nothing is drawn yet.
        guard detail.record.state != .running else { return TimelineRecorder().timeline }
        if let bytes = try await runner.store.timeline(id) {
            return try await offPool {
                Result { try JSONDecoder().decode(Timeline.self, from: Data(bytes)) }
            }
            .get()
        }
        guard let timeline = runner.timelines.timeline(of: id) else {
            throw HTTPProblem(.notFound, "No timeline was kept of this run.")
        }
        return timeline
    }

    private func health() async throws -> Response {
        guard !runner.isStopping else { throw HTTPProblem.stopping }
        do {
            try await runner.store.check()
        } catch {
            throw HTTPProblem.noDatabase
        }
        return Reply.json("{\"status\":\"ok\"}")
    }

    private func logIn(_ request: Request) async throws -> Response {
        let body = try await json(request)
        guard let secret else { throw HTTPProblem.unknownPath }
        guard let token = body.members?["token"]?.text, secret.isToken(token) else {
            throw HTTPProblem(.unauthorized, "This is not the token.", field: "token")
        }
        return Reply.json(
            "{\"status\":\"ok\"}",
            headers: [
                .setCookie:
                    "\(RequestGate.cookie)=\(secret.session); HttpOnly; SameSite=Strict; Path=/"
            ]
        )
    }

    // MARK: - Requests

    private func id(_ context: RequestScope) throws -> Int64 {
        guard let text = context.parameters.get("id"), let id = Int64(text), id > 0,
            String(id) == text
        else { throw RunProblem.unknownRun }
        return id
    }

    @discardableResult
    private func collect(_ request: Request) async throws -> ByteBuffer {
        if let text = request.headers[.contentLength], let length = Int(text),
            length > Self.bodyLimit
        {
            throw HTTPProblem.tooLarge
        }
        do {
            return try await request.body.collect(upTo: Self.bodyLimit)
        } catch let error as any HTTPResponseError where error.status == .contentTooLarge {
            // The router would answer without a word.
            throw HTTPProblem.tooLarge
        }
    }

    private func json(_ request: Request) async throws -> JSONValue {
        let buffer = try await collect(request)
        do {
            return try JSONParser.value(of: Array(buffer.readableBytesView))
        } catch {
            throw HTTPProblem(.badRequest, "The body is \(error).")
        }
    }
}
