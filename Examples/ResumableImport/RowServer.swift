import FlyingFox
import Foundation
import Synchronization

/// Receives batches of rows, each once, and sometimes fails.
///
/// Among ten requests, the server refuses one before it has read it. It carries out another one but
/// answers it with an error, like after a lost connection. A request with the key of an earlier one
/// is recognized and changes nothing.
final class RowServer: Sendable {
    /// The statistics of the server.
    struct Summary: Codable, Equatable, Sendable {
        var rows = 0
        var requests = 0
        /// The number of requests with a known key.
        var recognised = 0
        /// The checksum of all rows, each counted as often as it was accepted.
        var checksum: UInt64 = 0
    }

    private struct Books {
        var summary = Summary()
        var keys: Set<String> = []
    }

    private let books = Mutex(Books())
    private let server: HTTPServer

    init(port: UInt16) throws {
        server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port),
            timeout: 60,
            logger: .disabled
        )
    }

    var summary: Summary { books.withLock { $0.summary } }

    /// Listens until it is stopped.
    func run() async throws {
        await server.appendRoute("POST /rows") { [self] request in
            let key = request.headers[HTTPHeader("Idempotency-Key")] ?? ""
            let checksum = request.headers[HTTPHeader("Checksum")].flatMap { UInt64($0) }
            let text = String(decoding: try await request.bodyData, as: UTF8.self)
            return HTTPResponse(statusCode: answer(key, checksum, text))
        }
        await server.appendRoute("GET /summary") { [self] _ in
            HTTPResponse(statusCode: .ok, body: try JSONEncoder().encode(summary))
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

    func stop() async { await server.stop() }

    private func answer(_ key: String, _ checksum: UInt64?, _ text: String) -> HTTPStatusCode {
        books.withLock { books in
            books.summary.requests += 1
            let turn = books.summary.requests % 10
            guard turn != 3 else { return .serviceUnavailable }
            guard !key.isEmpty, checksum == Checksum.of(text) else { return .badRequest }
            if books.keys.insert(key).inserted {
                let rows = text.split(separator: "\n")
                books.summary.rows += rows.count
                for row in rows { books.summary.checksum &+= Checksum.of(String(row)) }
            } else {
                books.summary.recognised += 1
            }
            return turn == 7 ? .internalServerError : .ok
        }
    }
}
