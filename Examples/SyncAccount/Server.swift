import JobKit
import Synchronization

/// The text of an article.
struct Article: Sendable {
    let text: String
}

/// The server of the example.
let server = Server()

/// The database of the example.
let database = Database()

/// A simulated server.
///
/// Each request takes some milliseconds. The server is busy at the first request for some articles.
final class Server: Sendable {
    /// Thrown if the server is busy.
    struct Busy: Error {}

    private let busy = Mutex<Set<Int>>([3, 7])

    /// Returns the numbers of all articles, after 40 ms.
    func articleIDs() async throws -> [Int] {
        try await Task.sleep(for: .milliseconds(40))
        return Array(1...8)
    }

    /// Returns an article, after 40 to 96 ms.
    ///
    /// - Throws: ``Busy`` at the first request for some articles, and `CancellationError`.
    func article(_ id: Int) async throws -> Article {
        if busy.withLock({ $0.remove(id) != nil }) {
            try await Task.sleep(for: .milliseconds(20))
            throw Busy()
        }
        try await Task.sleep(for: .milliseconds(40 + id * 5 % 8 * 8))
        return Article(text: "Article \(id)")
    }
}

/// A simulated database, which only counts the articles.
final class Database: Sendable {
    private let count = Mutex(0)

    /// Stores an article, in 15 ms.
    func store(_ article: Article) async {
        try? await Task.sleep(for: .milliseconds(15))
        count.withLock { $0 += 1 }
    }
}
