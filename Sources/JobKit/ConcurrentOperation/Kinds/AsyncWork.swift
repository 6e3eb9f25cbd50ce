/// The `async` body of an operation and the Swift task that runs it; a cancel may come at any time.
struct AsyncWork<Body: Sendable>: ~Copyable, Sendable {
    enum State: Sendable {
        case pending(Body)
        case starting
        case running(Task<Void, Never>)
        case cancelledEarly
        case ended
    }

    private let state: Guarded<State>

    init(_ body: Body) {
        state = Guarded(.pending(body))
    }

    /// Starts the task that runs the body.
    ///
    /// - Parameter makeTask: Makes the task, which calls ``end()`` last.
    /// - Returns: False if a cancel came first.
    func start(_ makeTask: (Body) -> Task<Void, Never>) -> Bool {
        let body = state.withLock { state -> Body? in
            guard case .pending(let body) = state else { return nil }
            state = .starting
            return body
        }
        guard let body else { return false }
        let task = makeTask(body)
        let isCancelledEarly = state.withLock { state in
            if case .cancelledEarly = state { return true }
            if case .starting = state { state = .running(task) }
            return false
        }
        if isCancelledEarly { task.cancel() }
        return true
    }

    /// Cancels the task, even if it is about to be started.
    func cancel() {
        let before = state.withLock { state in
            let before = state
            switch before {
            case .pending, .starting: state = .cancelledEarly
            case .running, .cancelledEarly, .ended: break
            }
            return before
        }
        if case .running(let task) = before { task.cancel() }
    }

    /// Releases the body and the task.
    func end() {
        let released = state.withLock { state in
            defer { state = .ended }
            return state
        }
        withExtendedLifetime(released) {}
    }
}
