import Foundation
import JobJournal
import JobKit

struct Photo: Codable, Sendable { let album: String }
struct Server: Sendable {
    func upload(_ photo: Photo, idempotencyKey: String) async throws {}
}
let server = Server()
let folder = URL(filePath: "outboxes")
let photo = Photo(album: "summer")
