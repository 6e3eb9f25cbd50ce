/// A vector clock: how many accesses of each thread come before a point.
struct Clock {
    private var counts: [Int32] = []

    subscript(thread: Int) -> Int32 { thread < counts.count ? counts[thread] : 0 }

    /// Counts an access of a thread.
    mutating func count(_ thread: Int) -> Int32 {
        while counts.count <= thread { counts.append(0) }
        counts[thread] += 1
        return counts[thread]
    }

    mutating func join(_ other: Clock) {
        for thread in other.counts.indices where other.counts[thread] > self[thread] {
            while counts.count <= thread { counts.append(0) }
            counts[thread] = other.counts[thread]
        }
    }
}

/// A thread's run from one point to the next.
///
/// It contains the choices at which another thread could have run instead. They are nil if no other
/// thread could.
struct Turn {
    /// The choice before the turn.
    var choice: Int?
    /// The choice at which the thread continued after others.
    var block: Int?
}

/// Something that several threads access: a lock, an atomic, a queue or the state of the program.
///
/// `@unchecked Sendable` because only the thread that holds the baton uses the state.
package class SharedObject: @unchecked Sendable {
    fileprivate struct Access {
        let thread: Int
        let number: Int32
        let isWrite: Bool
        let turn: Turn
    }

    private var schedule = 0
    /// Everything that comes before the last write, and before any access.
    fileprivate var written = Clock()
    fileprivate var accessed = Clock()
    fileprivate var accesses: [Access] = []

    init() {}

    /// Forgets the accesses of an earlier schedule.
    fileprivate func begin(_ number: Int) {
        guard schedule != number else { return }
        (schedule, written, accessed, accesses) = (number, Clock(), Clock(), [])
    }
}

/// Finds the choices that can lead to another result than the schedule that has run.
///
/// Two accesses of an object conflict if they are of different threads and one of them is a write.
/// Two schedules with the same order of conflicting accesses have the same result. Therefore, other
/// threads are only tried before the first of two conflicting accesses whose order could be the
/// reverse. So that the reverse order is also found with few preemptions, they are tried at the
/// beginning of the thread's block as well.
///
/// > Sources: C. Flanagan, P. Godefroid, "Dynamic partial-order reduction for model checking
/// > software", POPL 2005. K. Coons, M. Musuvathi, K. McKinley, "Bounded partial-order reduction",
/// > OOPSLA 2013.
struct Conflicts {
    private struct Option {
        let thread: Int
        /// The accesses of the thread until the choice.
        let count: Int32
    }

    /// The options to try, by the number of the choice.
    private(set) var alternatives: [Set<Int>] = []
    private var options: [(all: [Option], taken: Int)] = []
    private let number: Int
    /// All accesses until now.
    private(set) var everything = Clock()
    /// Everything that comes before the last condition was true.
    private(set) var condition = Clock()

    init(schedule number: Int) { self.number = number }

    mutating func choiceMade(among threads: [VirtualThread], taken: Int) {
        let all = threads.map { Option(thread: $0.id, count: everything[$0.id]) }
        options.append((all, taken))
        alternatives.append([taken])
    }

    mutating func accessed(_ object: SharedObject, isWrite: Bool, by thread: VirtualThread) {
        object.begin(number)
        for access in object.accesses.reversed() {
            let isOwn = access.thread == thread.id
            if isOwn || thread.clock[access.thread] >= access.number {
                // Everything before a write comes before whatever comes after the write.
                if access.isWrite { break }
            } else if isWrite || access.isWrite {
                tryReverse(at: access.turn.choice, for: thread)
                tryReverse(at: access.turn.block, for: thread)
            }
        }
        thread.clock.join(isWrite ? object.accessed : object.written)
        let count = thread.clock.count(thread.id)
        everything.join(thread.clock)
        object.accesses.append(
            .init(thread: thread.id, number: count, isWrite: isWrite, turn: thread.turn)
        )
        object.accessed.join(thread.clock)
        if isWrite { object.written = object.accessed }
    }

    /// Records that a thread has released a lock.
    mutating func released(_ object: SharedObject, by thread: VirtualThread) {
        object.begin(number)
        object.accessed.join(thread.clock)
        object.written.join(thread.clock)
    }

    /// Records that a timer has changed an object, after everything else.
    mutating func fired(_ object: SharedObject) {
        object.begin(number)
        object.accessed = everything
        object.written = everything
    }

    mutating func conditionBegins() { condition = Clock() }

    /// Records that a condition has read an object.
    mutating func conditionReads(_ object: SharedObject) {
        object.begin(number)
        condition.join(object.accessed)
    }

    private mutating func tryReverse(at choice: Int?, for thread: VirtualThread) {
        guard let choice else { return }
        let (all, taken) = options[choice]
        if let option = all.firstIndex(where: { $0.thread == thread.id }) {
            alternatives[choice].insert(option)
            return
        }
        // Those that the thread has waited for in the meantime, or all.
        let causes = all.indices.filter {
            $0 != taken && thread.clock[all[$0].thread] > all[$0].count
        }
        alternatives[choice].formUnion(causes.isEmpty ? Array(all.indices) : causes)
    }
}
