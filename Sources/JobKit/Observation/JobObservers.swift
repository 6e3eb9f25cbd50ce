/// Who is told of a job's events.
struct JobObservers {
    /// Added to the job itself: told of its own start and finish too.
    private(set) var own: [any JobObserver] = []
    /// Added to a job above.
    private var inherited: [any JobObserver] = []

    var all: [any JobObserver] { own + inherited }

    mutating func add(_ observer: any JobObserver) {
        if !own.contains(where: { $0 === observer }) { own.append(observer) }
        inherited.removeAll { $0 === observer }
    }

    /// Returns the observers that the job did not have yet.
    mutating func inherit(_ observers: [any JobObserver]) -> [any JobObserver] {
        let new = observers.filter { observer in !all.contains { $0 === observer } }
        inherited += new
        return new
    }
}
