// snippet "trackAndQueue(Load(file)": body of Album
// snippet "maxConcurrentOperationCount: 1": body of Album
// snippet "self.check(image)": body of Album
// snippet "self.trackAndQueue(Load(URL": body of Album
// snippet "then next:": body of Album
struct Row: Sendable {
    func halved() -> Row { self }
}
struct Image: Sendable {
    var rows: [Row] = []
    func halved() -> Image { self }
}
struct Server: Sendable {
    func ask(_ question: String, _ done: @escaping @Sendable (Result<Data, any Error>) -> Void) {}
    func page(_ name: String) async throws -> String { name }
}
struct Transfer: Sendable {
    func start(_ done: @escaping @Sendable ((any Error)?) -> Void) {}
    func cancel() {}
}
let server = Server()
let file = URL(filePath: "/")
let image = Image()
func sha256(of file: URL) throws -> String { "" }
final class Load: ResultOperation<Image>, @unchecked Sendable {
    init(_ file: URL) {}
}
final class Store: ConcurrentOperation, @unchecked Sendable {
    init(_ image: Image) {}
}
final class Album: JobController, @unchecked Sendable {
    var images: [Image] = []
    var stored = 0
    func check(_ image: Image) throws {}
}
