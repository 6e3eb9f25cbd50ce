// snippet "for page in pages": body of Import
// snippet "on: api) { _ in": body of Import
let pages = [1]
let page = 1
let policy = RetryPolicy { _, _ in nil }
let api = RateLimitedQueue(TaskQueue.shared, limit: 100, per: .seconds(1))
final class Import: JobController, @unchecked Sendable {}
final class Fetch: ConcurrentOperation, @unchecked Sendable {
    init(_ page: Int) {}
}
