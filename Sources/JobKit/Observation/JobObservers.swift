/// Who is told of a job's events.
struct JobObservers {
    /// Added to the job itself: told of its own start and finish too.
    private(set) var own: [any JobObserver] = []
    /// Added to a job above.
    private var inherited: [any JobObserver] = []
    /// Who is being told of right now, one entry for each thread that tells.
    private var tellings: [Telling] = []
    /// Where a callback runs, or has run last.
    var callbackPlace: CallbackPlace?

    /// Both, kept because each event asks for them.
    private(set) var all: [any JobObserver] = []

    mutating func add(_ observer: any JobObserver) {
        if !own.contains(where: { $0 === observer }) { own.append(observer) }
        inherited.removeAll { $0 === observer }
        all = own + inherited
    }

    /// Returns the observers that the job did not have yet.
    mutating func inherit(_ observers: [any JobObserver]) -> [any JobObserver] {
        let new = observers.filter { observer in !all.contains { $0 === observer } }
        inherited += new
        all = own + inherited
        return new
    }

    // MARK: Telling

    private struct Telling {
        let record: TaskRecord
        /// The job would not wait for the task any more.
        var isSettled = false
    }

    mutating func tellingBegan(about record: TaskRecord) {
        tellings.append(Telling(record: record))
    }

    /// Whether the job goes on waiting for a task because its observers are being told of it.
    mutating func keepsWaiting(for record: TaskRecord) -> Bool {
        guard let index = tellings.firstIndex(where: { $0.record === record }) else {
            return false
        }
        tellings[index].isSettled = true
        return true
    }

    /// Returns whether the job had no other reason to wait for the task.
    mutating func tellingEnded(about record: TaskRecord) -> Bool {
        guard let index = tellings.firstIndex(where: { $0.record === record }) else {
            return false
        }
        return tellings.remove(at: index).isSettled
    }
}

/// A thread, and what is being started there: enough to tell a callback from other code.
struct CallbackPlace: Equatable {
    private let thread: ObjectIdentifier
    private let starting: ObjectIdentifier?

    /// Where the calling code runs.
    static var current: CallbackPlace {
        let context = ThreadContext.current
        return CallbackPlace(thread: ObjectIdentifier(context), starting: context.starting)
    }
}
