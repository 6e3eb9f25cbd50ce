// snippet "trackAndQueue(Load(file)": body of Album
// snippet "maxConcurrentOperationCount: 1": body of Album
// snippet "self.check(image)": body of Album
// snippet "self.trackAndQueue(Load(URL": body of Album
// snippet "then next:": body of Album
// snippet "setCompletion(for: .type": body of Album
// snippet "ListFiles(album)": body of Album
struct Row: Sendable {
    func halved() -> Row { self }
}
struct Image: Sendable {
    var rows: [Row] = []
    func halved() -> Image { self }
}
struct Account: Sendable {}
struct Server: Sendable {
    func status(_ done: @escaping @Sendable (Result<Data, any Error>) -> Void) {}
    func page(_ name: String) async throws -> String { name }
    func upload(_ name: String) async throws {}
}
struct Transfer: Sendable {
    func start(_ done: @escaping @Sendable ((any Error)?) -> Void) {}
    func cancel() {}
    func close() {}
}
let server = Server()
let account = Account()
let file = URL(filePath: "/")
let image = Image()
let album = ""
func sha256(of file: URL) throws -> String { "" }
func synchronize(_ account: Account?) throws {}
final class Load: ResultOperation<Image>, @unchecked Sendable {
    init(_ file: URL) {}
}
final class ListFiles: ResultOperation<[URL]>, @unchecked Sendable {
    init(_ album: String) {}
}
final class Store: ConcurrentOperation, @unchecked Sendable {
    init(_ image: Image) {}
}
final class WriteAlbum: ConcurrentOperation, @unchecked Sendable {
    init(_ images: [Image]) {}
}
final class Album: JobController, @unchecked Sendable {
    var images: [Image] = []
    var storedCount = 0
    func check(_ image: Image) throws {}
}
