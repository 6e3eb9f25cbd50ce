struct Feed: Codable, Sendable {}
final class Store: Sendable {
    func save(_ feed: Feed) throws {}
}
let url = URL(filePath: "/")
let store = Store()
func fetch(_ url: URL) async throws -> Data { Data() }
