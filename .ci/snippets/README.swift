struct Article: Sendable {}
struct Server: Sendable {
    func articleIDs() async throws -> [Int] { [] }
    func article(_ id: Int) async throws -> Article { Article() }
}
struct Database: Sendable {
    func store(_ article: Article) async {}
}
let server = Server()
let database = Database()
