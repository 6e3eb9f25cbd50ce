import Dispatch

/// Monitors the workers of a queue that has something to start and no free worker.
///
/// The kernel reports which workers use a core and which wait inside their operations. From that,
/// ``WorkerPoolSizer`` decides how many more to wake, and when to take the next sample. The timer
/// ends after several samples without anything to start.
extension TaskQueueShell {
    /// The thread of all samples, which no operation can block.
    private static let samples = DispatchQueue(label: "JobKit.monitor", qos: .userInteractive)
    /// Querying the kernel about a thread costs some microseconds, so only some threads are
    /// queried.
    private static let queriedAtMost = 16
    private static let longOperation: UInt64 = 50_000_000

    /// Samples the workers until there has been nothing to start for a while.
    func monitorWorkers() {
        sample(after: WorkerPoolSizer.shortestPause, since: DispatchTime.now().uptimeNanoseconds)
    }

    private func sample(after pause: UInt64, since last: UInt64) {
        Self.samples.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [self] in
            // Read before the clock, so that all their work lies within the measured time.
            let workers = ask { $0.workers.activities }
            let now = DispatchTime.now().uptimeNanoseconds
            let sample = Self.sample(at: workers, at: now, since: last)
            let (woken, pause) = ask { $0.workersSampled(sample, at: now) }
            for worker in woken { wake(worker) }
            if let pause { self.sample(after: pause, since: now) }
        }
    }

    private static func sample(
        at workers: [WorkerActivity],
        at now: UInt64,
        since last: UInt64
    ) -> WorkerPoolSizer.Sample {
        var sample = WorkerPoolSizer.Sample(time: now - last)
        var mayWait: [WorkerThread] = []
        for worker in workers {
            guard let (used, isWaiting, inOperation) = worker.read(at: now) else { continue }
            sample.used += used
            if isWaiting {
                mayWait.append(worker.thread)
            } else if inOperation >= longOperation {
                sample.busy += 1
            }
        }
        let queried = mayWait.prefix(queriedAtMost)
        let waiting = queried.count { $0.isWaiting }
        sample.waiting = queried.isEmpty ? 0 : waiting * mayWait.count / queried.count
        return sample
    }
}
