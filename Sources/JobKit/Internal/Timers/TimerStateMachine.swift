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

    /// The action after a timer was added, or after the thread has woken.
    struct Action: Equatable, Sendable {
        /// Whether the thread sleeps longer than it may.
        var wakesThread = false
        /// The worker that must begin to take due bodies.
        var startsWorker: Int?
    }

    private struct Node: Comparable {
        let deadline: Int64
        let id: ID

        static func < (left: Self, right: Self) -> Bool {
            left.deadline == right.deadline
                ? left.id.number < right.id.number : left.deadline < right.deadline
        }
    }

    private struct Slot {
        var body: Body?
        var number: UInt64
    }

    private var heap = MinHeap<Node>()
    private var slots: ContiguousArray<Slot> = []
    private var freeSlots: [Int] = []
    /// How many timers wait.
    private(set) var count = 0
    private var lastNumber: UInt64 = 0
    /// Until when the thread sleeps at most.
    private var wakeTime = Int64.max

    private var due = FIFO<Body>()
    private var idleWorkers: [Int] = []
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

    // MARK: Timers

    mutating func timerAdded(_ body: Body, at deadline: Int64) -> (id: ID, action: Action) {
        lastNumber += 1
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot(body: nil, number: 0)) }
        slots[slot] = Slot(body: body, number: lastNumber)
        let id = ID(slot: slot, number: lastNumber)
        heap.insert(Node(deadline: deadline, id: id))
        count += 1
        var action = Action()
        if deadline < wakeTime {
            wakeTime = deadline
            action.wakesThread = true
        }
        return (id, action)
    }

    /// Returns the body of a timer that still waited, which the caller releases without a lock.
    mutating func timerCancelled(_ id: ID) -> Body? {
        guard let body = take(id) else { return nil }
        if heap.count > 2 * count + Self.keptNodes {
            heap.removeAll { [slots] in slots[$0.id.slot].number != $0.id.number }
        }
        return body
    }

    /// Makes a body due at once.
    mutating func bodyBecameDue(_ body: Body) -> Action {
        due.append(body)
        return callWorkers()
    }

    /// The thread has woken.
    ///
    /// - Returns: The action, and the latest time of the next wake-up.
    mutating func threadWoke(at now: Int64) -> (action: Action, wakeTime: Int64) {
        while let first = heap.first, first.deadline <= now || !isWaiting(first.id) {
            _ = heap.popFirst()
            if let body = take(first.id) { due.append(body) }
        }
        var action = callWorkers()
        if !due.isEmpty, action.startsWorker == nil {
            if takenBefore == takenCount { action.startsWorker = startWorker() }
            takenBefore = takenCount
        } else {
            takenBefore = nil
        }
        wakeTime = heap.first?.deadline ?? .max
        if !due.isEmpty { wakeTime = min(wakeTime, now + Self.stallTimeout) }
        action.wakesThread = false
        return (action, wakeTime)
    }

    // MARK: Workers

    /// Returns the next due body for a worker, or nil if the worker must end.
    mutating func workerTakes(_ worker: Int) -> Body? {
        takenCount &+= 1
        if let body = due.popFirst() { return body }
        idleWorkers.append(worker)
        return nil
    }

    /// Starts a worker if none is at work, or lets the thread check the others soon.
    private mutating func callWorkers() -> Action {
        guard !due.isEmpty else { return Action() }
        if idleWorkers.count == workerCount { return Action(startsWorker: startWorker()) }
        guard wakeTime != .min else { return Action() }
        wakeTime = .min
        return Action(wakesThread: true)
    }

    private mutating func startWorker() -> Int? {
        if let idle = idleWorkers.popLast() { return idle }
        guard workerCount < Self.workerLimit else { return nil }
        workerCount += 1
        return workerCount - 1
    }

    // MARK: Slots

    private func isWaiting(_ id: ID) -> Bool {
        id.slot < slots.count && slots[id.slot].number == id.number
    }

    /// Frees the slot of a timer that waits, and returns its body.
    private mutating func take(_ id: ID) -> Body? {
        guard isWaiting(id) else { return nil }
        let body = slots[id.slot].body.take()
        slots[id.slot].number = 0
        freeSlots.append(id.slot)
        count -= 1
        if count == 0, slots.count > Self.keptSlots {
            (slots, freeSlots, heap) = ([], [], MinHeap())
        }
        return body
    }
}
