import Foundation
import JobKit
import JobKitTesting

/// The less common tasks of a random tree.
extension StressJob {
    /// Returns a task with a timeout that is zero or too short, on one of two clocks.
    ///
    /// It is slow to stop.
    func makeOverrunning(_ gauges: [Gauge]) -> Operation {
        let task = StressTask(failure: nil, finishesLater: true, gauges: gauges)
        let limit = Duration.microseconds(Int.random(in: 0...100, using: &random))
        if chance(2) {
            let clock = ManualClock()
            task.clock = clock
            DispatchQueue.global().async { clock.advance(by: limit) }
        }
        task.maximumRuntime = limit
        return task
    }

    /// Returns a retry of up to three attempts, some of which fail.
    func makeRetry() -> Operation {
        let successes = (0..<3).map { _ in chance(2) }
        let policy = RetryPolicy { failed, _ in failed < 3 ? .zero : nil }
        return RetryOperation(policy) { number in
            StressTask(
                failure: successes[number - 1] ? nil : SampleError("attempt"),
                finishesLater: successes[0]
            )
        }
    }

    /// Returns a plain operation that becomes ready without a notification.
    func makePermitted() -> Operation {
        let task = PermittedOperation()
        tree.disturb(after: Int.random(in: 0..<50, using: &random)) { task.permit() }
        return task
    }

    /// Returns a task with a changing priority that depends on an earlier one, at least
    /// temporarily.
    func makeDependent(_ gauges: [Gauge]) -> Operation {
        let task: Operation =
            chance(2)
            ? BlockOperation {
                for gauge in gauges { gauge.enter() }
                for gauge in gauges { gauge.leave() }
            } : StressTask(failure: nil, finishesLater: chance(2), gauges: gauges)
        guard let earlier = tasks.randomElement(using: &random)?.task else { return task }
        task.addDependency(earlier)
        // Foundation may leave a plain operation unready forever if its dependency is removed.
        let isRemoved = chance(3) && task is StressTask
        let priority: Operation.QueuePriority = chance(2) ? .high : .veryLow
        tree.disturb(after: Int.random(in: 0..<20, using: &random)) {
            if isRemoved { task.removeDependency(earlier) }
            task.queuePriority = priority
        }
        return task
    }
}
