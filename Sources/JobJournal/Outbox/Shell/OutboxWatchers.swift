import Foundation

/// The readers and Swift tasks that wait for changes of an outbox.
struct OutboxWatchers {
    typealias Waiter = CheckedContinuation<Void, any Error>

    var streams: [Int: AsyncStream<OutboxEvent>.Continuation] = [:]
    /// The events from the opening of the outbox, until the first stream takes them.
    var openingEvents: [OutboxEvent] = []
    var closing: [CheckedContinuation<Void, Never>] = []
    var attempts: AttemptsGate?
    /// Swift tasks that wait until no thread has the turn.
    var turns: [CheckedContinuation<Void, Never>] = []
    private var idle: [CheckedContinuation<Void, Never>] = []
    private var waiters: [UInt64: [Int: Waiter]] = [:]
    private var lastID = 0
    /// The recent entries that were dropped, replaced or removed.
    private var leftOtherwise: Set<UInt64> = []
    private var leftOrder: [UInt64] = []
    /// The waits that were cancelled before they began.
    private var cancelled: Set<Int> = []

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func waitUntilIdle(_ waiter: CheckedContinuation<Void, Never>) { idle.append(waiter) }

    mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { idle = [] }
        return idle
    }

    func hasLeftOtherwise(_ id: UInt64) -> Bool { leftOtherwise.contains(id) }

    /// Stores a waiter.
    ///
    /// Returns false if the wait was cancelled before.
    mutating func wait(for id: UInt64, _ number: Int, _ waiter: Waiter) -> Bool {
        guard cancelled.remove(number) == nil else { return false }
        waiters[id, default: [:]][number] = waiter
        return true
    }

    mutating func waitCancelled(for id: UInt64, _ number: Int) -> Waiter? {
        if let waiter = waiters[id]?.removeValue(forKey: number) {
            if waiters[id]?.isEmpty == true { waiters[id] = nil }
            return waiter
        }
        cancelled.insert(number)
        return nil
    }

    mutating func waitEnded(_ number: Int) { cancelled.remove(number) }

    /// Takes the waiters of entries that have left.
    mutating func entriesLeft(_ ids: [UInt64], otherwise: Bool) -> [Waiter] {
        if otherwise {
            leftOrder += ids.suffix(1_024)
            leftOtherwise.formUnion(ids.suffix(1_024))
            let surplus = leftOrder.count - 1_024
            if surplus > 0 {
                leftOtherwise.subtract(leftOrder.prefix(surplus))
                leftOrder.removeFirst(surplus)
            }
        }
        guard !waiters.isEmpty else { return [] }
        return ids.flatMap { waiters.removeValue(forKey: $0).map { Array($0.values) } ?? [] }
    }

    mutating func takeAll() -> OutboxWatchers {
        defer {
            let known = leftOtherwise
            self = OutboxWatchers()
            leftOtherwise = known
        }
        return self
    }

    /// Ends all streams and waits, because the outbox is closed.
    func end() {
        for stream in streams.values { stream.finish() }
        for waiter in waiters.values.flatMap(\.values) {
            waiter.resume(throwing: CancellationError())
        }
        for waiter in idle + closing { waiter.resume() }
    }
}
