// snippet "try await server.upload": body of Sync
// snippet "try await server.fetch": body of Sync
// snippet "RateLimitedQueue(TaskQueue.shared": body of Sync
struct Receipt: Sendable {
    let number = 1
}
struct Server: Sendable {
    func upload(_ file: String) async throws -> Receipt { Receipt() }
    func fetch() async throws -> [String] { [] }
    func count() async throws -> Int { 0 }
}
let database = TaskQueue(name: "database", maxConcurrentOperationCount: 4)
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
