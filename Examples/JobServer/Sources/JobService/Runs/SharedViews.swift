import Dispatch
import Synchronization

/// What is costly to see of a run, made at most once a second for all who look.
///
/// All is made on one queue of its own, so that looking takes no more than one thread, and none that
/// others wait for. What took long is kept longer: a run is looked at a sixth of the time at most.
///
/// > Thread: Any.
final class SharedViews<Value: Sendable>: Sendable {
    private struct View: Sendable {
        var value: Value?
        var isFresh = false
        var waiters: [CheckedContinuation<Value, Never>] = []
        var isBeingMade = false
    }

    private let interval: Double
    private let queue = DispatchQueue(label: "job-views", qos: .utility)
    private let views = Mutex<[Int64: View]>([:])

    /// Makes a store of views.
    ///
    /// - Parameter interval: How many seconds a view is shown before it is made anew.
    init(interval: Double = 1) {
        self.interval = interval
    }

    /// A run's view, as it was made within the last second or so, or is made now.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - make: Makes the view, on the queue.
    /// - Returns: The view.
    func view(of id: Int64, _ make: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let (known, mustMake) = views.withLock { views -> (Value?, Bool) in
                var view = views[id] ?? View()
                defer { views[id] = view }
                if view.isFresh, let value = view.value { return (value, false) }
                view.waiters.append(continuation)
                defer { view.isBeingMade = true }
                return (nil, !view.isBeingMade)
            }
            if let known { return continuation.resume(returning: known) }
            if mustMake { queue.async { [self] in self.make(id, make) } }
        }
    }

    private func make(_ id: Int64, _ make: () -> Value) {
        let began = ContinuousClock.now
        let value = make()
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let waiters = views.withLock { views in
            var view = views[id] ?? View()
            defer { views[id] = view }
            (view.value, view.isFresh, view.isBeingMade) = (value, true, false)
            defer { view.waiters = [] }
            return view.waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
        queue.asyncAfter(deadline: .now() + max(interval, 5 * seconds)) { [self] in age(id) }
    }

    private func age(_ id: Int64) {
        let old = views.withLock { views -> View? in
            // Nobody looks: nothing is kept of it.
            if views[id]?.isBeingMade == false { return views.removeValue(forKey: id) }
            views[id]?.isFresh = false
            return nil
        }
        withExtendedLifetime(old) {}
    }
}
