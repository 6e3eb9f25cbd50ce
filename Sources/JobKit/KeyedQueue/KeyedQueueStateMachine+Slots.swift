/// The entries, and the pools of their permits.
extension KeyedQueueStateMachine {
    /// The entries of a pool that must be evaluated again: those below jobs, or also the first one.
    enum Change: Int { case none, tasks, all }

    struct Slot {
        var entry: Entry?
        var sequence = -1
        /// The number in the order of adding, which an entry may take over from another one.
        var position = -1
        var priority = OperationPriority.normal
        var state = State.vacant
        var isJob = false
        /// The pools of its keys.
        var pools: [Int] = []
        /// The nearest jobs above the entry that are in the queue, too.
        var jobs: [Ticket] = []
        /// The number of the entry in the order passed on.
        var turn = 0
        var passedOnAt = CoarseTime.RawValue(0)

        var order: TaskQueueOrder {
            TaskQueueOrder(priority: priority.rawValue, sequence: position)
        }
    }

    struct Pool {
        var key: Key?
        var limit: Int
        var taken = 0
        /// One of the entries with the key.
        ///
        /// Most keys have no others, and need no set.
        var member: Int?
        var otherMembers: Set<Int> = []
        var waiting = ReadyLists()
        /// The entries of `waiting` that are below jobs.
        var tasks: [Group: ReadyLists] = [:]
        var change = Change.none

        var isFree: Bool { taken < limit }
        var members: [Int] { member.map { [$0] + otherMembers } ?? [] }
    }

    /// Entries below the same jobs, with the same keys.
    ///
    /// If the first must wait, so must the others.
    struct Group: Hashable {
        let jobs: [Ticket]
        let pools: [Int]
    }
}
