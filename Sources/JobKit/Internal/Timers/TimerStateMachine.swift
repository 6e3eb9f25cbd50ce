/// Decides which timers are due, and how many workers call their targets.
///
/// The waiting timers are a binary heap by deadline. Each one has a slot that stores its position
/// in the heap, so that a cancelled timer leaves nothing behind.
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

    private struct Node {
        let deadline: Int64
        let number: UInt64
        let slot: Int

        func isBefore(_ other: Node) -> Bool {
            deadline == other.deadline ? number < other.number : deadline < other.deadline
        }
    }

    private struct Slot {
        var body: Body?
        var number: UInt64
        /// The position in the heap or, if the slot is free, the next free slot.
        var position: Int
    }

    private var heap: ContiguousArray<Node> = []
    private var slots: ContiguousArray<Slot> = []
    private var firstFree = -1
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

    /// How many timers wait.
    var count: Int { heap.count }

    // MARK: Timers

    mutating func timerAdded(_ body: Body, at deadline: Int64) -> (id: ID, action: Action) {
        lastNumber += 1
        let slot = takeSlot(for: body)
        heap.append(Node(deadline: deadline, number: lastNumber, slot: slot))
        slots[slot].position = heap.count - 1
        rise(from: heap.count - 1)
        var action = Action()
        if deadline < wakeTime {
            wakeTime = deadline
            action.wakesThread = true
        }
        return (ID(slot: slot, number: lastNumber), action)
    }

    /// Returns the body of a timer that still waited, which the caller releases without a lock.
    mutating func timerCancelled(_ id: ID) -> Body? {
        guard id.slot < slots.count, slots[id.slot].number == id.number,
            slots[id.slot].body != nil
        else { return nil }
        return remove(at: slots[id.slot].position)
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
        while let first = heap.first, first.deadline <= now {
            if let body = remove(at: 0) { due.append(body) }
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

    private mutating func takeSlot(for body: Body) -> Int {
        guard firstFree >= 0 else {
            slots.append(Slot(body: body, number: lastNumber, position: 0))
            return slots.count - 1
        }
        let slot = firstFree
        firstFree = slots[slot].position
        slots[slot].body = body
        slots[slot].number = lastNumber
        return slot
    }

    // MARK: The heap

    private mutating func remove(at position: Int) -> Body? {
        let slot = heap[position].slot
        let last = heap.removeLast()
        if position < heap.count {
            place(last, at: position)
            rise(from: position)
            sink(from: position)
        }
        let body = slots[slot].body.take()
        if heap.isEmpty, slots.count > Self.keptSlots {
            (slots, firstFree, heap) = ([], -1, [])
        } else {
            slots[slot].position = firstFree
            firstFree = slot
        }
        return body
    }

    private mutating func place(_ node: Node, at position: Int) {
        heap[position] = node
        slots[node.slot].position = position
    }

    private mutating func rise(from start: Int) {
        var child = start
        let node = heap[child]
        while child > 0 {
            let parent = (child - 1) / 2
            guard node.isBefore(heap[parent]) else { break }
            place(heap[parent], at: child)
            child = parent
        }
        if child != start { place(node, at: child) }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        let node = heap[parent]
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(node) else { break }
            place(heap[child], at: parent)
            parent = child
        }
        if parent != start { place(node, at: parent) }
    }
}
