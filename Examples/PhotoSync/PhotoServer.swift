import FlyingFox
import Foundation
import Synchronization

/// Receives photos.
///
/// Among ten requests, one is slow, one gets 503 with Retry-After, and one fails.
final class PhotoServer: Sendable {
    /// The uploads of each idempotency key, and the number of requests.
    private let state = Mutex((uploads: [String: Int](), requests: 0))
    private let server: HTTPServer

    init(port: UInt16) throws {
        server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
    }

    /// How many photos have arrived, each counted once.
    var photoCount: Int { state.withLock { $0.uploads.count } }

    func run() async throws {
        await server.appendRoute("POST /photos") { [self] request in
            let key = request.headers[HTTPHeader("Idempotency-Key")] ?? ""
            _ = try await request.bodyData
            let turn = state.withLock { state in
                state.requests += 1
                if state.requests % 10 != 3 { state.uploads[key, default: 0] += 1 }
                return state.requests % 10
            }
            if turn == 5 { try await Task.sleep(for: .milliseconds(300)) }
            guard turn != 3 else {
                let headers: HTTPHeaders = [HTTPHeader("Retry-After"): "1"]
                return HTTPResponse(statusCode: .serviceUnavailable, headers: headers)
            }
            return HTTPResponse(statusCode: turn == 7 ? .internalServerError : .ok)
        }
        try await server.run()
    }

    /// Returns the address of the server once it is listening.
    func address() async throws -> URL {
        try await server.waitUntilListening(timeout: 60)
        guard case .ip4(let host, let port)? = await server.listeningAddress,
            let url = URL(string: "http://\(host):\(port)")
        else { throw URLError(.badURL) }
        return url
    }
}
