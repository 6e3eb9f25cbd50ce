import FlyingFox
import Foundation

/// A local server that accepts movies up to a maximum size.
struct MovieServer {
    private static let largestMovie = 100_000
    /// The timeout of the server in seconds.
    ///
    /// It is long because even a small movie may take long on a busy machine.
    private static let patience = 60.0

    /// The URL under which movies are uploaded by name.
    let folder: URL
    private let server: HTTPServer

    /// Starts a server on a free port.
    ///
    /// - Parameter store: Called with a movie's name when it has arrived. The server responds when it has returned.
    /// - Returns: The listening server.
    /// - Throws: The reason why it cannot listen.
    static func start(
        store: @escaping @Sendable (_ name: String) async throws -> Void
    ) async throws -> MovieServer {
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: 0),
            timeout: patience,
            logger: .disabled
        )
        await server.appendRoute("PUT /movies/:name") { (request: HTTPRequest, name: String) in
            guard try await request.bodyData.count <= largestMovie else {
                return HTTPResponse(statusCode: .payloadTooLarge)
            }
            try await store(name)
            return HTTPResponse(statusCode: .created)
        }
        Task { try await server.run() }
        try await server.waitUntilListening(timeout: patience)
        guard case .ip4(let host, let port)? = await server.listeningAddress,
            let folder = URL(string: "http://\(host):\(port)/movies")
        else { throw URLError(.badURL) }
        return MovieServer(folder: folder, server: server)
    }

    /// Stops the server, and returns when it has responded to the last request.
    func stop() async {
        await server.stop()
    }
}
