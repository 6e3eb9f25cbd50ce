struct Page: Sendable {
    let url: URL
    let size = 0
    let links: [URL] = []
}
func load(_ url: URL) async throws -> Page { Page(url: url) }
