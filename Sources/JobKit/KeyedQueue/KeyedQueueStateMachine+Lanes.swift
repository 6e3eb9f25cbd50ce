/// What the machine knows of an entry and of a lane.
extension KeyedQueueStateMachine {
    enum State { case vacant, unready, blocked, eligible, passedOn }

    /// What an entry holds of one lane, or will hold.
    struct Permit {
        let lane: Int
        /// The slot of the job that lends it; nil if it is the lane's own.
        var lender: Int?
        /// The slot of the entry that it is lent to.
        var borrower: Int?
    }

    struct Slot {
        var entry: Entry?
        var sequence = -1
        var priority = TaskPriority.normal
        var state = State.vacant
        var place = Permit(lane: 0)
        var keys: [Permit] = []
        /// The nearest jobs above it that are in the queue, too.
        var jobs: [Ticket] = []
        var isJob = false
        /// Counts the entries in the order passed on.
        var turn = 0
        var passedOnAt = CoarseTime.RawValue(0)

        var order: TaskQueueOrder {
            TaskQueueOrder(priority: priority.rawValue, sequence: sequence)
        }
    }

    struct Lane {
        var key: Key?
        var limit: Int
        /// How many of its own permits are taken.
        var taken = 0
        /// The first entry with the key; in lane 0, the first that was passed on.
        ///
        /// Most keys have no other, and need no array. The others follow in the order added,
        /// between void tickets.
        var member: Ticket?
        var members: [Ticket] = []
        var memberCount = 0
        /// The first that holds a permit, and the others.
        var holder: Int?
        var holders: [Int] = []
        var waiting = ReadyLists()
        /// Those of `waiting` that are below jobs, by the number of the job.
        var tasks: [Int: ReadyLists] = [:]
        var change = Change.none

        var isFree: Bool { taken < limit }

        mutating func append(_ ticket: Ticket) {
            if memberCount == 0 { (member, members) = (ticket, []) } else { members.append(ticket) }
            memberCount += 1
        }
    }

    /// What has to be looked at again in a lane.
    enum Change: Int {
        case none
        /// Only the entries below jobs.
        case tasks
        case all
    }
}
