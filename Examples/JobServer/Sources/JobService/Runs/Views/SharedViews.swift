import Dispatch
import Synchronization

/// Expensive views of a run, computed at most once a second for all clients.
///
/// A separate queue computes all views. Therefore, they occupy at most one thread, and none that
/// other work needs. A view that took long is kept longer, so that a run is inspected at most a
/// sixth of the time.
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

    /// Creates a store of views.
    ///
    /// - Parameter interval: How many seconds a view is shown before it is computed again.
    init(interval: Double = 1) {
        self.interval = interval
    }

    /// A run's view, either of the last second or so, or computed now.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - make: Computes the view on the queue.
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
            // No client has requested the view, so it is dropped.
            if views[id]?.isBeingMade == false { return views.removeValue(forKey: id) }
            views[id]?.isFresh = false
            return nil
        }
        withExtendedLifetime(old) {}
    }
}
