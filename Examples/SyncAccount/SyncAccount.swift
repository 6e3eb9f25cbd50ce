import JobKit

/// Fetches the articles of an account, four at a time, and stores each of them.
///
/// The README of the repository shows this job.
final class SyncAccount: ResultJob<Int>, @unchecked Sendable {
    private var storedCount = 0             // Callbacks never overlap, so it needs no lock.

    override func main() {
        setMaxConcurrentOperationCount(4, for: "articles")
        trackAndQueue(AsyncOperation(name: "list") { try await server.articleIDs() }) { ids in
            for id in ids { self.fetch(id) }            // One step starts the next ones.
        }
    }

    private func fetch(_ id: Int) {
        let article = RetryOperation(.exponential(attempts: 3, initialDelay: .milliseconds(50))) { _ in
            AsyncOperation(name: "fetch \(id)") { try await server.article(id) }
        }
        article.name = "article \(id)"
        trackAndQueue(article, group: "articles") { article in
            self.trackAndQueue(AsyncOperation(name: "store \(id)") { await database.store(article) }) {
                self.storedCount += 1
            }
        }
    }

    override func allTasksFinished() { finish(returning: storedCount) }
}
