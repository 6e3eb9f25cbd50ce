// snippet "AsyncOperation { try await server.upload": body of Sync
struct Server: Sendable {
    func upload(_ file: String, attempt: Int) async throws {}
}
struct ServerError: Error {
    let isTemporary = true
}
struct Busy: Error {
    let retryAfter = Duration.seconds(1)
}
let server = Server()
let file = ""
let policy = RetryPolicy { _, _ in nil }
final class Sync: JobController, @unchecked Sendable {}
final class Upload: ConcurrentOperation, @unchecked Sendable {
    init(_ file: String) {}
}
