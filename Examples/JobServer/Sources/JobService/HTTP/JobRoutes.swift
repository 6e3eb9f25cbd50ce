import Foundation
import HTTPTypes
import Hummingbird
import JobKit
import JobStore
import Logging
import NIOCore
import PrometheusText

/// The answers to all paths.
struct JobRoutes: Sendable {
    /// The largest body, in bytes.
    static let bodyLimit = 64 * 1_024

    let runner: Runner
    let schedules: ScheduleRoutes
    let queue: QueueRoutes
    let page: Page
    let events: EventStream
    let metrics: PrometheusFactory?
    let secret: AccessSecret?
    let gate: RequestGate
    let logger: Logger

    private var submissions: Submissions { Submissions(runner: runner) }

    /// Creates the router.
    func router() -> Router<RequestScope> {
        let router = Router(
            context: RequestScope.self,
            options: [.autoGenerateHeadEndpoints]
        )
        addPage(to: router)
        router.post("jobs") { request, context in try await submit(request, context) }
        router.get("jobs") { request, _ in try await list(request) }
        router.get("jobs/{id}") { _, context in try await detail(id(context)) }
        router.delete("jobs/{id}") { request, context in
            try await collect(request)
            let id = try id(context)
            try await submissions.delete(id)
            note("A run was deleted", id, request, context)
            return Response(status: .noContent)
        }
        router.post("jobs/{id}/cancel") { request, context in
            try await collect(request)
            let record = try await runner.cancel(id(context))
            note("Run cancel requested", record.id, request, context)
            return Reply.json(record.json, status: .accepted)
        }
        router.post("jobs/{id}/prioritize") { request, context in
            let body = try await json(request)
            let member = body.members?["priority"] ?? .bool(false)
            guard
                let priority = try SubmissionBody.priority(member == .null ? .bool(false) : member)
            else { throw HTTPProblem.unknownPath }
            let record = try await submissions.prioritize(id(context), priority)
            return Reply.json(record.json, status: .accepted)
        }
        router.post("jobs/{id}/run-again") { request, context in
            try await collect(request)
            let record = try await submissions.runAgain(id(context))
            note("Run resubmitted", record.id, request, context)
            return created(record)
        }
        router.get("jobs/{id}/timeline.svg") { _, context in
            let timeline = try await timeline(id(context))
            return TimelineDrawing.response(await offPool { timeline.svg() })
        }
        router.get("jobs/{id}/timeline.json") { _, context in
            let timeline = try await timeline(id(context))
            let trace = await offPool { [UInt8](timeline.chromeTrace()) }
            return Reply.bytes(trace, type: "application/json; charset=utf-8")
        }
        router.get("schedules") { _, _ in Reply.json(try await schedules.list()) }
        router.get("queue") { _, _ in Reply.json(queue.json) }
        addPauses(to: router)
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

    private func addPauses(to router: Router<RequestScope>) {
        for (verb, isPaused) in [("pause", true), ("resume", false)] {
            let word = isPaused ? "paused" : "resumed"
            router.post("queue/\(verb)") { request, context in
                try await collect(request)
                let json = try await queue.pause(nil, isPaused)
                note("The queue was \(word)", [:], request, context)
                return Reply.json(json)
            }
            router.post("kinds/{name}/\(verb)") { request, context in
                try await collect(request)
                let name = Self.name(in: context)
                let json = try await queue.pause(name, isPaused)
                note("A kind was \(word)", ["kind": "\(name.text)"], request, context)
                return Reply.json(json)
            }
            router.post("schedules/{name}/\(verb)") { request, context in
                try await collect(request)
                let name = Self.name(in: context)
                let json = try await schedules.pause(name, isPaused)
                note("A schedule was \(word)", ["schedule": "\(name.text)"], request, context)
                return Reply.json(json)
            }
        }
    }

    /// The name in the path.
    private static func name(in context: RequestScope) -> Name {
        let text = context.parameters.get("name") ?? ""
        return Name(text.removingPercentEncoding ?? text)
    }

    private func addPage(to router: Router<RequestScope>) {
        router.get("") { _, _ in page.index }
        for (path, response) in page.files {
            router.get(RouterPath(path)) { _, _ in response }
        }
        router.post("login") { request, _ in try await logIn(request) }
        router.post("logout") { request, _ in
            try await collect(request)
            if let session = RequestGate.session(of: request.visitor) { secret?.logOut(session) }
            let cookie = "\(RequestGate.cookie)=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/"
            return Reply.json("{\"status\":\"ok\"}", headers: [.setCookie: cookie])
        }
        router.get("kinds") { _, _ in
            let kinds = JSONText.array(runner.kinds.all.map(\.json))
            let admission = runner.admission
            return Reply.json(
                JSONText.object([
                    "kinds": kinds,
                    "folders": JSONText.array(
                        runner.environment.folders.paths.map { JSONText.quoted($0) }
                    ),
                    "needsToken": "\(secret != nil)",
                    "jobs": "\(admission.width)",
                    "width": "\(runner.environment.width)",
                    "queueLimit": "\(admission.queueLimit)",
                    "startedAt": "\(runner.startedAt)",
                    "version": JSONText.quoted(JobService.version),
                ])
            )
        }
    }

    /// Logs an action with the token's name or the client's address.
    private func note(
        _ what: Logger.Message,
        _ metadata: Logger.Metadata,
        _ request: Request,
        _ context: RequestScope
    ) {
        let who = gate.name(of: request.visitor) ?? context.address
        logger.info(what, metadata: metadata.merging(["client": "\(who)"]) { $1 })
    }

    private func note(
        _ what: Logger.Message,
        _ id: Int64,
        _ request: Request,
        _ context: RequestScope
    ) {
        note(what, ["job.id": "\(id)"], request, context)
    }

    // MARK: - Runs

    private func submit(_ request: Request, _ context: RequestScope) async throws -> Response {
        let body = try SubmissionBody(try await json(request))
        let (record, isNew) = try await submissions.submit(body.submission)
        guard isNew else { return Reply.json(record.json) }
        note("A run was submitted", record.id, request, context)
        return created(record)
    }

    private func created(_ record: RunRecord) -> Response {
        Reply.json(record.json, status: .created, headers: [.location: "/jobs/\(record.id)"])
    }

    private func list(_ request: Request) async throws -> Response {
        let filter = try ListQuery(request.uri.queryParameters).filter
        let list = try await runner.store.list(filter)
        // A run may have changed since the database was read, and may no longer match the filter.
        let newest = runner.board.newest(list.runs)
            .filter { filter.states.isEmpty || filter.states.contains($0.state) }
        let totals = RunState.allCases
            .map { "\"\($0.rawValue)\":\(list.totals[$0] ?? 0)" }
            .joined(separator: ",")
        return Reply.json(
            "{\"runs\":" + JSONText.array(newest.map(\.json)) + ",\"totals\":{" + totals + "}}"
        )
    }

    private func detail(_ id: Int64) async throws -> Response {
        // The live run is looked up first. If it ends after that, it is in the database.
        let live = runner.live(id)
        guard let detail = try await runner.store.detail(id) else { throw RunProblem.unknownRun }
        var tasks = "null"
        var stall: String?
        let permits = live?.queue.maxConcurrentOperationCount
        if let live, !detail.record.state.isEnd {
            runner.board.put(live.sample())
            let view = await runner.taskViews.view(of: id) { TaskView(of: live) }
            (tasks, stall) = (view.tasks, view.stall)
        }
        let record = runner.board.newest([detail.record])[0]
        if record.state == .queued { stall = runner.waitReason(of: record) }
        return Reply.json(
            "{" + record.jsonMembers + ",\"parameters\":" + detail.parameters + ",\"result\":"
                + (detail.result ?? "null") + ",\"tasks\":" + tasks + ",\"stall\":"
                + JSONText.quoted(stall) + ",\"key\":" + JSONText.quoted(detail.key)
                + ",\"nextID\":"
                + JSONText.number(try await runner.store.follower(of: id)) + ",\"permits\":"
                + JSONText.number(permits.map { Int64($0) }) + "}"
        )
    }

    private func timeline(_ id: Int64) async throws -> Timeline {
        if let live = runner.live(id) {
            return await runner.timelineViews.view(of: id) { live.recorder.timeline }
        }
        guard let detail = try await runner.store.detail(id) else { throw RunProblem.unknownRun }
        // The run is already `running`, but its kind has not created the job, so the timeline is
        // empty.
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
        guard !runner.isStopping else {
            return Self.unhealthy("stopping", HTTPProblem.stopping, "The server is stopping")
        }
        do {
            try await runner.store.probe()
        } catch let failure as StoreFailed {
            return Self.unhealthy("failing", HTTPProblem(failure), failure.reason)
        }
        return Reply.json("{\"status\":\"ok\"}")
    }

    private static func unhealthy(
        _ status: String,
        _ problem: HTTPProblem,
        _ reason: String
    ) -> Response {
        Reply.json(
            JSONText.object([
                "status": JSONText.quoted(status), "reason": JSONText.quoted(reason),
                "error": JSONText.quoted(problem.sentence), "field": "null",
            ]),
            status: problem.status,
            headers: problem.headers
        )
    }

    private func logIn(_ request: Request) async throws -> Response {
        let body = try await json(request)
        guard let secret else { throw HTTPProblem.unknownPath }
        guard let token = body.members?["token"]?.text, let name = secret.name(ofToken: token)
        else {
            throw HTTPProblem(.unauthorized, "Wrong token.", field: "token")
        }
        logger.info("A client logged in", metadata: ["client": "\(name)"])
        // Behind a proxy with TLS, the cookie is never sent without TLS.
        let isSecure =
            request.headers[.forwardedProto]?.lowercased() == "https"
            || request.headers[.origin]?.lowercased().hasPrefix("https://") == true
        let cookie =
            "\(RequestGate.cookie)=\(secret.logIn(name)); HttpOnly; SameSite=Strict; Path=/"
        return Reply.json(
            "{\"status\":\"ok\"}",
            headers: [.setCookie: isSecure ? cookie + "; Secure" : cookie]
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
            // The router would answer without a message.
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
