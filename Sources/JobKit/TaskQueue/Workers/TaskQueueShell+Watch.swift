import Dispatch

/// Monitors the workers of a queue that has something to start and no free worker.
///
/// The kernel reports which workers use a core and which wait inside their operations. From that,
/// ``ThreadDemand`` decides how many more to wake, and when to take the next sample. The timer ends
/// after several samples without anything to start.
extension TaskQueueShell {
    /// The thread of all samples, which no operation can block.
    private static let looks = DispatchQueue(label: "JobKit.watch", qos: .userInteractive)
    /// Querying the kernel about a thread costs some microseconds, so only some threads are
    /// queried.
    private static let askedAtMost = 16
    private static let longOperation: UInt64 = 50_000_000

    /// Samples the workers until there has been nothing to start for a while.
    func watchWorkers() {
        look(after: ThreadDemand.shortestPause, since: DispatchTime.now().uptimeNanoseconds)
    }

    private func look(after pause: UInt64, since last: UInt64) {
        Self.looks.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [self] in
            // Read before the clock, so that all their work lies within the measured time.
            let workers = ask { $0.workers.atWork }
            let now = DispatchTime.now().uptimeNanoseconds
            let look = Self.look(at: workers, at: now, since: last)
            let (woken, pause) = ask { $0.lookedAtWorkers(look, at: now) }
            for worker in woken { wake(worker) }
            if let pause { self.look(after: pause, since: now) }
        }
    }

    private static func look(
        at workers: [WorkerBadge],
        at now: UInt64,
        since last: UInt64
    ) -> ThreadDemand.Look {
        var look = ThreadDemand.Look(time: now - last)
        var mayWait: [WorkerThread] = []
        for worker in workers {
            guard let (use, inOperation) = worker.read(at: now) else { continue }
            look.used += use.used
            if use.mayWait {
                mayWait.append(worker.thread)
            } else if inOperation >= longOperation {
                look.lasting += 1
            }
        }
        let asked = mayWait.prefix(askedAtMost)
        let waiting = asked.count { $0.isWaiting }
        look.waiting = asked.isEmpty ? 0 : waiting * mayWait.count / asked.count
        return look
    }
}
