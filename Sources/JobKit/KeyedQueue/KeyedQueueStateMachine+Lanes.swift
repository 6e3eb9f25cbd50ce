/// The state of an entry and of a lane.
extension KeyedQueueStateMachine {
    enum State { case vacant, unready, blocked, eligible, passedOn }

    /// A permit of a lane that an entry holds or will hold.
    struct Permit {
        let lane: Int
        /// The slot of the job that lends the permit, or nil if it is one of the lane's own.
        var lender: Int?
        /// The slot of the entry to which this entry lends the permit.
        var borrower: Int?
    }

    struct Slot {
        var entry: Entry?
        var sequence = -1
        var priority = TaskPriority.normal
        var state = State.vacant
        var place = Permit(lane: 0)
        var keys: [Permit] = []
        /// The nearest jobs above the entry that are in the queue, too.
        var jobs: [Ticket] = []
        var isJob = false
        /// The number of the entry in the order passed on.
        var turn = 0
        var passedOnAt = CoarseTime.RawValue(0)

        var order: TaskQueueOrder {
            TaskQueueOrder(priority: priority.rawValue, sequence: sequence)
        }
    }

    struct Lane {
        var key: Key?
        var limit: Int
        /// How many of the lane's own permits are taken.
        var taken = 0
        /// The first entry with the key or, in lane 0, the first entry that was passed on.
        ///
        /// Most keys have no further entry, and need no array. The array contains the others in the
        /// order added, together with void tickets.
        var member: Ticket?
        var members: [Ticket] = []
        var memberCount = 0
        /// The first entry that holds a permit.
        ///
        /// The array contains the others.
        var holder: Int?
        var holders: [Int] = []
        var waiting = ReadyLists()
        /// The entries of `waiting` that are below jobs, by the sequence number of the job.
        var tasks: [Int: ReadyLists] = [:]
        var change = Change.none

        var isFree: Bool { taken < limit }

        mutating func append(_ ticket: Ticket) {
            if memberCount == 0 { (member, members) = (ticket, []) } else { members.append(ticket) }
            memberCount += 1
        }
    }

    /// The entries of a lane that must be evaluated again.
    enum Change: Int {
        case none
        /// Only the entries below jobs.
        case tasks
        case all
    }
}
