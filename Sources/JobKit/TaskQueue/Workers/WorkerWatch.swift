import Dispatch
import Synchronization

/// Looks at the workers of a queue that has something to start and no worker free to start it.
///
/// The kernel tells which of them use a core and which wait inside their operations;
/// ``ThreadDemand`` decides from that how many more are called, and when to look again. No timer
/// runs for a queue that has had nothing to start for some looks.
struct WorkerWatch: Sendable {
    private let queue: TaskQueueShell
    private var lastTime: UInt64
    private var last: [ObjectIdentifier: Reading] = [:]

    private struct Reading: Sendable {
        /// Kept, so that no other has its address.
        let badge: WorkerBadge
        let time: UInt64
        let used: UInt64
        let began: Int
        /// Since when it has been in one operation.
        let since: UInt64
    }

    /// The thread of all looks; no operation can block it.
    private static let looks = DispatchQueue(label: "JobKit.WorkerWatch", qos: .userInteractive)
    /// Asking the kernel what a thread does costs some microseconds: of many, some are asked.
    private static let askedAtMost = 16
    private static let longOperation: UInt64 = 50_000_000

    private init(_ queue: TaskQueueShell, from now: UInt64) {
        self.queue = queue
        lastTime = now
    }

    /// Looks at a queue until it has had nothing to start for a while.
    static func begin(_ queue: TaskQueueShell) {
        let watch = WorkerWatch(queue, from: DispatchTime.now().uptimeNanoseconds)
        watch.lookAgain(after: ThreadDemand.shortestPause)
    }

    private func lookAgain(after pause: UInt64) {
        Self.looks.asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) {
            var watch = self
            if let pause = watch.look() { watch.lookAgain(after: pause) }
        }
    }

    /// Returns when to look again, in nanoseconds from now; nil if there is no need to.
    private mutating func look() -> UInt64? {
        // First, so that what they did lies within the time.
        let workers = queue.ask { $0.workers.atWork }
        let now = DispatchTime.now().uptimeNanoseconds
        var look = look(at: workers, at: now)
        (look.time, lastTime) = (now - lastTime, now)
        return queue.lookedAtWorkers(look, at: now)
    }

    private mutating func look(at workers: [WorkerBadge], at now: UInt64) -> ThreadDemand.Look {
        var readings: [ObjectIdentifier: Reading] = [:]
        var look = ThreadDemand.Look(time: 0)
        var mayWait: [WorkerThread] = []
        for worker in workers {
            let id = ObjectIdentifier(worker)
            let before =
                last[id]
                ?? Reading(
                    badge: worker,
                    time: worker.begin.time,
                    used: worker.begin.used,
                    began: 0,
                    since: worker.begin.time
                )
            let began = worker.began.load(ordering: .relaxed)
            guard now > before.time, let total = worker.thread.processorTime else { continue }
            let since = began == before.began ? before.since : now
            readings[id] =
                Reading(badge: worker, time: now, used: total, began: began, since: since)
            let use = ThreadUse(
                time: now - before.time,
                used: total > before.used ? total - before.used : 0,
                began: began - before.began
            )
            look.used += use.used
            if use.mayWait {
                mayWait.append(worker.thread)
            } else if now - since >= Self.longOperation {
                look.lasting += 1
            }
        }
        last = readings
        let asked = mayWait.prefix(Self.askedAtMost)
        let waiting = asked.count { $0.isWaiting }
        look.waiting = asked.isEmpty ? 0 : waiting * mayWait.count / asked.count
        return look
    }
}

extension TaskQueueShell {
    /// Takes in what a look at the workers has found, and calls those that are needed.
    ///
    /// - Returns: When to look again, in nanoseconds from now; nil if there is no need to.
    fileprivate func lookedAtWorkers(_ look: ThreadDemand.Look, at now: UInt64) -> UInt64? {
        let (called, pause) = ask { $0.lookedAtWorkers(look, at: now) }
        for worker in called { wake(worker) }
        return pause
    }
}
