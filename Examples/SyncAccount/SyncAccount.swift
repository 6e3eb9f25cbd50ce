import JobKit

/// Fetches the articles of an account, four at a time, and stores each of them.
///
/// The README of the repository shows this job.
final class SyncAccount: ResultJob<Int>, @unchecked Sendable {
    private var storedCount = 0  // Callbacks never overlap, so it needs no lock.

    override func main() {
        setMaxConcurrentOperationCount(4, for: "articles")
        let list = AsyncOperation(name: "list") { try await server.articleIDs() }
        trackAndQueue(list) { ids in
            for id in ids { self.fetch(id) }  // One step starts the next ones.
        }
    }

    private func fetch(_ id: Int) {
        let policy = RetryPolicy.exponential(attempts: 3, initialDelay: .milliseconds(50))
        let article = RetryOperation(policy) { _ in
            AsyncOperation(name: "fetch \(id)") { try await server.article(id) }
        }
        article.name = "article \(id)"
        trackAndQueue(article, group: "articles") { article in
            let store = AsyncOperation(name: "store \(id)") { await database.store(article) }
            self.trackAndQueue(store) { self.storedCount += 1 }
        }
    }

    override func allTasksFinished() { finish(returning: storedCount) }
}
