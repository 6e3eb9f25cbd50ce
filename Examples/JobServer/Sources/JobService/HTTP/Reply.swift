import HTTPTypes
import Hummingbird
import NIOCore

/// Creates answers with the security headers for browsers.
enum Reply {
    /// The page may load only its own files, and nothing inline.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "worker-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    /// Data may load nothing.
    static let dataPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

    static func json(
        _ json: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        bytes(Array(json.utf8), type: "application/json; charset=utf-8", status, headers)
    }

    static func problem(_ problem: HTTPProblem) -> Response {
        json(problem.json, status: problem.status, headers: problem.headers)
    }

    static func text(_ text: String, type: String, policy: String = dataPolicy) -> Response {
        bytes(Array(text.utf8), type: type, .ok, [.contentSecurityPolicy: policy])
    }

    static func bytes(
        _ bytes: [UInt8],
        type: String,
        _ status: HTTPResponse.Status = .ok,
        _ headers: HTTPFields = [:]
    ) -> Response {
        var fields = headers
        fields[.contentType] = type
        return Response(
            status: status,
            headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// Adds the headers of all answers.
    static func secured(_ response: Response) -> Response {
        var response = response
        if !response.headers.contains(.contentSecurityPolicy) {
            response.headers[.contentSecurityPolicy] = dataPolicy
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        if !response.headers.contains(.cacheControl) {
            response.headers[.cacheControl] = "no-store"
        }
        return response
    }
}

extension HTTPField.Name {
    static let referrerPolicy = Self(parsed: "referrer-policy") ?? .from
}
