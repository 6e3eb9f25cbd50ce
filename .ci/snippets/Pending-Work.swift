import Foundation
import JobJournal
import JobKit
import JobKitTesting

struct Server: Sendable {
    func upload(_ path: String, idempotencyKey: String) async throws {}
}
struct Photo: Codable, Sendable {
    let path: String
    let album: String
}
struct SignedOut: Error {}
struct Busy: Error { var delay = Duration.seconds(1) }
struct Rejected: Error {}
struct Dates: Sendable { var now = Date() }
let server = Server()
let folder = URL(filePath: "outboxes")
let date = Dates()
var configuration: OutboxConfiguration<Photo> {
    get { OutboxConfiguration() }
    set {}
}
let outbox: JobOutbox<Photo> = { fatalError("only compiled") }()
