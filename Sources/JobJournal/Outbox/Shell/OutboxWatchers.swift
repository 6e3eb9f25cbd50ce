import Foundation

/// The readers and Swift tasks that wait for changes of an outbox.
struct OutboxWatchers {
    private(set) var streams: [Int: AsyncStream<OutboxEvent>.Continuation] = [:]
    /// The events from the opening of the outbox, until the first stream takes them.
    var openingEvents: [OutboxEvent] = []
    var idle: [Promise] = []
    private var waiters: [UInt64: [Promise]] = [:]
    private var lastStream = 0
    /// The recent entries that were dropped, replaced or removed.
    private var leftOtherwise: [UInt64] = []

    mutating func add(_ stream: AsyncStream<OutboxEvent>.Continuation) -> Int {
        // These events precede all later ones in the stream.
        for event in exchange(&openingEvents, with: []) { stream.yield(event) }
        lastStream += 1
        streams[lastStream] = stream
        return lastStream
    }

    mutating func removeStream(_ number: Int) { streams[number] = nil }

    func hasLeftOtherwise(_ id: UInt64) -> Bool { leftOtherwise.contains(id) }

    mutating func add(_ waiter: Promise, for id: UInt64) { waiters[id, default: []].append(waiter) }

    mutating func remove(_ waiter: Promise, for id: UInt64) {
        waiters[id]?.removeAll { $0 === waiter }
        if waiters[id]?.isEmpty == true { waiters[id] = nil }
    }

    /// Takes the waiters of entries that have left.
    mutating func entriesLeft(_ ids: [UInt64], otherwise: Bool) -> [Promise] {
        if otherwise, !ids.isEmpty {
            leftOtherwise = Array((leftOtherwise + ids.suffix(1_024)).suffix(1_024))
        }
        return waiters.isEmpty ? [] : ids.flatMap { waiters.removeValue(forKey: $0) ?? [] }
    }

    /// Ends all streams and waits, because the outbox is closed.
    func end() {
        for stream in streams.values { stream.finish() }
        for waiter in waiters.values.joined() { waiter.fulfill(CancellationError()) }
        for waiter in idle { waiter.fulfill() }
    }
}
