import Foundation
import JobJournal
import JobKit

struct Batch: Sendable { var number = 0 }
struct Server: Sendable {
    func send(_ batch: Batch, idempotencyKey: String) async throws {}
}
let server = Server()
let folder = URL(filePath: "journals")
let batches: [Batch] = []
func trackAndQueue(_ step: Operation) {}
