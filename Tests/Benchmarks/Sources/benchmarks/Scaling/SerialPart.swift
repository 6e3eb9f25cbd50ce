import Foundation
import JobKit

/// Measures the serial part of a task's cost on this machine.
enum SerialPart {
    /// Returns the model of the median of several rounds.
    static func model(size: Int, rounds: Int) -> ScalingModel? {
        var values = (tracking: [Double](), delivery: [Double](), whole: [Double]())
        for _ in 0..<rounds {
            values.tracking.append(tracking(size))
            values.delivery.append(delivery(size))
            values.whole.append(whole(size))
        }
        guard let tracking = Summary(values.tracking)?.median,
            let delivery = Summary(values.delivery)?.median,
            let whole = Summary(values.whole)?.median
        else { return nil }
        let serial = tracking + delivery
        return ScalingModel(serial: serial, parallel: max(0, whole - serial))
    }

    /// Measures the nanoseconds for making and tracking a task while nothing runs.
    private static func tracking(_ size: Int) -> Double {
        let queue = TaskQueue()
        let job = HeldJob(queue: queue)
        queue.isSuspended = true
        let cost = processorTime(of: size) {
            for _ in 0..<size { job.trackAndQueue(EmptyTask()) { _ in } }
        }
        queue.isSuspended = false
        job.release()
        return cost
    }

    /// Measures the nanoseconds for delivering and releasing a finished task.
    private static func delivery(_ size: Int) -> Double {
        let job = HeldJob(queue: TaskQueue())
        job.isSuspended = true
        for _ in 0..<size {
            let task = EmptyTask()
            job.track(task) { _ in }
            task.start()
        }
        let delivered = Completions(expected: 1)
        let last = EmptyTask()
        job.track(last) { _ in delivered.complete() }
        last.start()
        let cost = processorTime(of: size) {
            job.isSuspended = false
            delivered.wait()
        }
        job.release()
        return cost
    }

    /// Measures a task of a whole fan-out, in nanoseconds.
    private static func whole(_ size: Int) -> Double {
        let queue = TaskQueue()
        let job = FanOutJob(queue: queue, size: size, completions: Completions(expected: size)) {
            EmptyTask()
        }
        return processorTime(of: size) {
            job.startJob(on: queue)
            job.waitUntilFinished()
            queue.drain()
        }
    }

    /// Returns the processor time of the process while `body` runs, divided by `size`.
    ///
    /// For serial code, this is its duration, independently of the load of the machine.
    private static func processorTime(of size: Int, _ body: () -> Void) -> Double {
        let before = clock()
        body()
        return Double(clock() - before) / Double(CLOCKS_PER_SEC) * 1e9 / Double(size)
    }
}
