import Foundation
import JobJournal
import JobKit
import JobKitTesting

// snippet "thumbnail": body of Steps

struct Row: Codable, Sendable {}
struct Receipt: Codable, Sendable { var count = 0 }
struct Server: Sendable {
    func send(_ rows: [Row], idempotencyKey: String) async throws -> Receipt { Receipt() }
}
final class Upload: ResultOperation<Receipt>, @unchecked Sendable {
    init(_ file: URL) { super.init() }
}
func lastChange(of file: URL) -> Date? { nil }
func read(_ file: URL) async throws -> [Row] { [] }
func render() async throws -> Data { Data() }
let server = Server()
let folder = URL(filePath: "journals")
let files: [URL] = []
let file = URL(filePath: "file")
struct Steps {
    let journal: JobJournal
}
