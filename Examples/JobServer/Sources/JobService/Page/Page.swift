import HTTPTypes
import Hummingbird
import JobKit

/// The page and its files, which are embedded in the binary.
struct Page: Sendable {
    private static let script = "text/javascript"

    /// The files by their paths, without the page itself.
    let files: [String: Response]

    init() {
        // The page embeds timelines. Its policy forbids inline styles, so their style is in a file.
        let parts = TimelineDrawing.parts(of: TimelineRecorder().timeline.svg())
        let timelineSheet = ".timeline{" + parts.style + TimelineDrawing.darkStyle + "}"
        let contents: [(String, [UInt8], String)] = [
            ("api.js", PackageResources.api_js, Self.script),
            ("app.js", PackageResources.app_js, Self.script),
            ("asking.js", PackageResources.asking_js, Self.script),
            ("bulk.js", PackageResources.bulk_js, Self.script),
            ("deletion.js", PackageResources.deletion_js, Self.script),
            ("detail.js", PackageResources.detail_js, Self.script),
            ("filter.js", PackageResources.filter_js, Self.script),
            ("form.js", PackageResources.form_js, Self.script),
            ("login.js", PackageResources.login_js, Self.script),
            ("queue.js", PackageResources.queue_js, Self.script),
            ("result.js", PackageResources.result_js, Self.script),
            ("runs.js", PackageResources.runs_js, Self.script),
            ("schedules.js", PackageResources.schedules_js, Self.script),
            ("stall.js", PackageResources.stall_js, Self.script),
            ("stream.js", PackageResources.stream_js, Self.script),
            ("stream-worker.js", PackageResources.stream_worker_js, Self.script),
            ("text.js", PackageResources.text_js, Self.script),
            ("timeline.js", PackageResources.timeline_js, Self.script),
            ("app.css", PackageResources.app_css, "text/css"),
            ("timeline.css", Array(timelineSheet.utf8), "text/css"),
            ("icon.svg", PackageResources.icon_svg, "image/svg+xml"),
        ]
        files = Dictionary(
            uniqueKeysWithValues: contents.map { ($0.0, Self.response($0.1, $0.2)) }
        )
    }

    /// The page.
    let index = response(PackageResources.index_html, "text/html")

    /// The login form, sent with status 401 to visitors without a session.
    var login: Response {
        var response = Self.response(PackageResources.login_html, "text/html")
        response.status = .unauthorized
        response.headers[.wwwAuthenticate] = "Bearer"
        return response
    }

    private static func response(_ bytes: [UInt8], _ type: String) -> Response {
        Reply.bytes(
            bytes,
            type: "\(type); charset=utf-8",
            .ok,
            [.contentSecurityPolicy: Reply.pagePolicy, .cacheControl: "no-cache"]
        )
    }
}
