import Hummingbird
import JobStore
import NIOCore

/// Writes the events of one listener.
///
/// The newest runs come first, then all changes until the server ends.
struct EventStream: Sendable {
    /// How often a comment shows that the connection works.
    static let commentInterval = Duration.seconds(10)
    /// The number of runs in the first event.
    static let snapshotLimit = 50

    let hub: EventHub
    let board: RunBoard
    let store: JobStore

    /// Opens a stream.
    ///
    /// - Throws: ``HTTPProblem`` if there are too many listeners.
    func response(to request: Request, channel: any Channel) throws(HTTPProblem) -> Response {
        let connection = EventHub.Connection(
            isStuck: { !channel.isWritable },
            drop: { channel.close(promise: nil) }
        )
        guard let subscription = hub.subscribe(connection) else {
            throw HTTPProblem(
                .serviceUnavailable,
                "Too many event listeners.",
                headers: [.retryAfter: "10"]
            )
        }
        return Response(
            status: .ok,
            // A proxy that collects an answer before it passes it on would delay all events.
            headers: [
                .contentType: "text/event-stream; charset=utf-8", .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                defer { subscription.end() }
                var open = writer
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await write(subscription, to: &open)
                } onInboundClosed: {
                    subscription.end()
                }
                try await open.finish(nil)
            }
        )
    }

    private func write(
        _ subscription: EventHub.Subscription,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        let newest = board.newest(try await store.list(RunFilter(limit: Self.snapshotLimit)).runs)
        try await writer.write(Self.event("snapshot", JSONText.array(newest.map(\.json))))
        let comments = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.commentInterval)
                hub.remind(subscription)
            }
        }
        defer { comments.cancel() }
        for await _ in subscription.wakes {
            let batch = hub.take(subscription)
            if batch.saysBye { try await writer.write(Self.event("bye", "{}")) }
            for record in try await records(batch.runIDs) {
                try await writer.write(Self.event("run", record.json))
            }
            for id in batch.deletedIDs {
                try await writer.write(Self.event("deleted", "{\"id\":\(id)}"))
            }
            if batch.isQueueChanged { try await writer.write(Self.event("queue", "{}")) }
            if batch.isComment { try await writer.write(ByteBuffer(string: ": here\n\n")) }
            if batch.isLast { return }
        }
    }

    private func records(_ ids: [Int64]) async throws -> [RunRecord] {
        guard !ids.isEmpty else { return [] }
        let known = board.records(ids)
        let missing = ids.filter { known[$0] == nil }
        let stored = missing.isEmpty ? [] : try await store.runs(missing)
        return (Array(known.values) + stored).sorted { $0.id < $1.id }
    }

    private static func event(_ name: String, _ data: String) -> ByteBuffer {
        ByteBuffer(string: "event: \(name)\ndata: \(data)\n\n")
    }
}
