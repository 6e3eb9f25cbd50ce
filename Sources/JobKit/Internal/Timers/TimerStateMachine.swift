/// Decides which timers are due, and how many workers call their targets.
///
/// The waiting timers are a heap by deadline. Each one has a slot with its body. A cancelled timer
/// frees its slot at once. Its node is removed from the heap when most nodes are of such timers.
struct TimerStateMachine<Body: Sendable>: Sendable {
    /// One waiting timer, with a number that is never used twice.
    struct ID: Equatable, Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    enum Action: Equatable, Sendable {
        case nothing
        /// Wake the thread, which sleeps longer than it may.
        case wakeThread
        /// Start a worker, which takes due bodies.
        case startWorker
    }

    private struct Node: Comparable {
        let deadline: Int64
        let id: ID

        static func < (left: Self, right: Self) -> Bool {
            left.deadline == right.deadline
                ? left.id.number < right.id.number : left.deadline < right.deadline
        }
    }

    private var heap = MinHeap<Node>()
    private var slots: ContiguousArray<(body: Body, number: UInt64)?> = []
    private var freeSlots: [Int] = []
    private var lastNumber: UInt64 = 0
    /// Until when the thread sleeps at most.
    private var wakeTime = Int64.max

    private var due = FIFO<Body>()
    /// How many workers have not ended.
    private var workerCount = 0
    private var takenCount = 0
    /// How many bodies had been taken when the workers were last checked.
    private var takenBefore: Int?

    /// The largest number of workers.
    private static var workerLimit: Int { 250 }
    /// A worker that takes nothing for so long is blocked, in nanoseconds.
    private static var stallTimeout: Int64 { 2_000_000 }
    /// Slots that stay when no timer is left.
    private static var keptSlots: Int { 1_024 }
    /// Nodes of cancelled timers that stay in any case.
    private static var keptNodes: Int { 64 }

    /// How many timers wait.
    var count: Int { slots.count - freeSlots.count }

    // MARK: Timers

    mutating func timerAdded(_ body: Body, at deadline: Int64) -> (id: ID, action: Action) {
        lastNumber += 1
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        slots[slot] = (body, lastNumber)
        let id = ID(slot: slot, number: lastNumber)
        heap.insert(Node(deadline: deadline, id: id))
        guard deadline < wakeTime else { return (id, .nothing) }
        wakeTime = deadline
        return (id, .wakeThread)
    }

    /// Returns the body of a timer that still waited, which the caller releases without a lock.
    mutating func timerCancelled(_ id: ID) -> Body? {
        guard let body = take(id) else { return nil }
        if heap.count > 2 * count + Self.keptNodes {
            heap.removeAll { [slots] in slots[$0.id.slot]?.number != $0.id.number }
        }
        return body
    }

    /// Makes a body due at once.
    mutating func bodyBecameDue(_ body: Body) -> Action {
        due.append(body)
        guard workerCount > 0 else { return startWorker() }
        // The thread checks the workers soon.
        guard wakeTime != .min else { return .nothing }
        wakeTime = .min
        return .wakeThread
    }

    /// The thread has woken.
    ///
    /// - Returns: The action, and the latest time of the next wake-up.
    mutating func threadWoke(at now: Int64) -> (action: Action, wakeTime: Int64) {
        while let first = heap.first, first.deadline <= now || !isWaiting(first.id) {
            _ = heap.popFirst()
            if let body = take(first.id) { due.append(body) }
        }
        wakeTime = heap.first?.deadline ?? .max
        guard !due.isEmpty else {
            takenBefore = nil
            return (.nothing, wakeTime)
        }
        wakeTime = min(wakeTime, now + Self.stallTimeout)
        let areStalled = takenBefore == takenCount
        takenBefore = workerCount == 0 ? nil : takenCount
        return (workerCount == 0 || areStalled ? startWorker() : .nothing, wakeTime)
    }

    // MARK: Workers

    /// Returns the next due body for a worker, or nil if the worker must end.
    mutating func workerTakes() -> Body? {
        takenCount &+= 1
        if let body = due.popFirst() { return body }
        workerCount -= 1
        return nil
    }

    private mutating func startWorker() -> Action {
        guard workerCount < Self.workerLimit else { return .nothing }
        workerCount += 1
        return .startWorker
    }

    // MARK: Slots

    private func isWaiting(_ id: ID) -> Bool {
        id.slot < slots.count && slots[id.slot]?.number == id.number
    }

    /// Frees the slot of a timer that waits, and returns its body.
    private mutating func take(_ id: ID) -> Body? {
        guard isWaiting(id) else { return nil }
        let body = slots[id.slot].take()?.body
        freeSlots.append(id.slot)
        if count == 0, slots.count > Self.keptSlots {
            (slots, freeSlots, heap) = ([], [], MinHeap())
        }
        return body
    }
}
