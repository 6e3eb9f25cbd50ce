import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends batches to a ``RowServer``.
struct RowClient: Sendable {
    struct Refused: Error, CustomStringConvertible {
        let status: Int
        var description: String { "the server returned \(status)" }
    }

    let server: URL

    func send(_ batch: RowBatch, idempotencyKey: String) async throws -> Int {
        var request = URLRequest(url: server.appendingPathComponent("rows"))
        request.httpMethod = "POST"
        request.httpBody = Data(batch.text.utf8)
        request.setValue(idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
        request.setValue("\(batch.checksum)", forHTTPHeaderField: "Checksum")
        let (_, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw Refused(status: status) }
        return batch.rows.count
    }

    func summary() async throws -> RowServer.Summary {
        let url = server.appendingPathComponent("summary")
        let (data, _) = try await URLSession.shared.data(from: url)
        return try JSONDecoder().decode(RowServer.Summary.self, from: data)
    }
}
