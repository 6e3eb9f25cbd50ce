// snippet "RetryOperation": body of Sync
struct Server: Sendable {
    func fetch(_ attempt: Int) async throws -> [String] { [] }
}
let server = Server()
let policy = RetryPolicy { _, _ in nil }
final class Sync: JobController, @unchecked Sendable {
    func store(_ records: [String]) {}
}
