struct Article: Sendable {}
final class Account: Sendable {
    func store(_ article: Article) {}
    func rebuildIndex() {}
}
let account = Account()
final class FetchList: ConcurrentOperation, @unchecked Sendable {
    var articles: [String] = []
    init(_ account: Account) {}
}
final class FetchArticle: ConcurrentOperation, @unchecked Sendable {
    var article: Article?
    init(_ id: String) {}
}
func fetchArticle(
    _ id: String,
    _ done: @escaping @Sendable (Article?, (any Error)?) -> Void
) {}
