import HTTPTypes
import JobStore

/// An answer with a status of 4xx or 5xx: one sentence and the field that it concerns.
struct HTTPProblem: Error, Equatable {
    let status: HTTPResponse.Status
    let sentence: String
    var field: String?
    var headers: HTTPFields = [:]

    init(
        _ status: HTTPResponse.Status,
        _ sentence: String,
        field: String? = nil,
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.sentence = sentence
        self.field = field
        self.headers = headers
    }

    var json: String {
        JSONText.object(["error": JSONText.quoted(sentence), "field": JSONText.quoted(field)])
    }

    static let unknownPath = HTTPProblem(.notFound, "Not found.")
    static let unknownRun = HTTPProblem(.notFound, "There is no run of this number.")
    static let stopping = HTTPProblem(
        .serviceUnavailable,
        "The server is stopping.",
        headers: [.retryAfter: "10"]
    )
    static let tooManyTokens = HTTPProblem(
        .tooManyRequests,
        "Too many wrong tokens came from here.",
        headers: [.retryAfter: "20"]
    )
    static let tooLarge = HTTPProblem(.contentTooLarge, "The body is larger than 64 KiB.")

    init(_ problem: RunProblem) {
        switch problem {
        case .unknownRun: self = .unknownRun
        case .ended: self.init(.conflict, "The run has ended.")
        case .notQueued: self.init(.conflict, "The run is no longer queued.")
        case .keyInUse(let id):
            self.init(.conflict, "Run \(id) has this key, with other parameters.", field: "key")
        case .notEnded: self.init(.conflict, "The run has not ended.")
        case .followed(let id):
            self.init(.conflict, "Run \(id) follows this run, and has not ended.")
        case .full:
            self.init(
                .tooManyRequests,
                "The queue is full.",
                headers: [.retryAfter: "5"]
            )
        case .stopping: self = .stopping
        }
    }

    init(_ failure: StoreFailed) {
        self.init(
            .serviceUnavailable,
            "The database cannot be used now: \(failure.reason).",
            headers: [.retryAfter: "5"]
        )
    }

    init(_ problem: InvalidParameter) {
        self.init(.unprocessableContent, problem.sentence, field: problem.field)
    }
}
