import Testing

@testable import JobKit

/// How many threads a queue wants (Q5), in simulated queues: time is counted, and no thread runs.
@Suite struct WorkerPoolSizerTests {
    /// A queue in which all operations are alike.
    private struct Queue {
        var sizer = WorkerPoolSizer(cores: 2, limit: 64)
        var concurrencyLimit = 64
        /// The processor time of operations, in hundredths of their duration.
        var work = 0
        var active = 2
        var startCount = 0
        var time: UInt64 = 0
        /// The duration of every operation, in nanoseconds.
        var length: UInt64 = 4_000_000
        var backlog = 1_000_000

        init(work: Int, concurrencyLimit: Int = 64) {
            (self.work, self.concurrencyLimit) = (work, concurrencyLimit)
            sizer.monitoringBegan()
        }

        /// Advances the time until the next sample.
        mutating func sample() {
            let pause = sizer.pause
            time += pause
            startCount += max(1, active * Int(pause) / Int(length))
            // Each core runs one operation, and the others that need a core wait for it.
            let used = min(2 * pause, UInt64(active * work) * pause / 100)
            let sample = WorkerPoolSizer.Sample(
                time: pause,
                waiting: active * (100 - work) / 100,
                used: used,
                active: active,
                startable: min(concurrencyLimit - active, backlog),
                startCount: startCount
            )
            active += sizer.sampled(sample)
            // Surplus workers leave when they have finished their operation.
            active = max(1, min(active, sizer.wanted))
        }
    }

    @Test(arguments: [4, 16, 64]) func blockedQueueHasAllItsThreadsInFiveMilliseconds(
        concurrencyLimit: Int
    ) {
        var queue = Queue(work: 0, concurrencyLimit: concurrencyLimit)
        while queue.active < concurrencyLimit, queue.time < 1_000_000_000 { queue.sample() }
        #expect(queue.active == concurrencyLimit)
        #expect(queue.time <= 5_000_000)
    }

    @Test func queueThatKeepsItsThreadsBusyGetsNoMore() {
        var queue = Queue(work: 100)
        while queue.time < 2_000_000_000 { queue.sample() }
        #expect(queue.active == 2)
    }

    @Test func halfBlockedQueueGetsTwiceTheCores() {
        var queue = Queue(work: 50)
        while queue.time < 1_000_000_000 { queue.sample() }
        #expect((4...8).contains(queue.active))
    }

    @Test(arguments: [64, .max])
    func threadsAreReleasedSoonWhenTheCoresAreBusy(concurrencyLimit: Int) {
        var queue = Queue(work: 0, concurrencyLimit: concurrencyLimit)
        while queue.active < 64 { queue.sample() }
        queue.work = 100
        let begin = queue.time
        while queue.active > 2, queue.time < 1_000_000_000 { queue.sample() }
        #expect(queue.active == 2)
        #expect(queue.time - begin <= 20_000_000)
    }

    /// The queue remembers a burst, so the next one has its threads without a sample.
    @Test func threadsStayWantedWhenTheQueueIsEmpty() {
        var queue = Queue(work: 0)
        while queue.active < 64 { queue.sample() }
        queue.backlog = 0
        for _ in 0..<WorkerPoolSizer.idleSamplesBeforeRest { queue.sample() }
        #expect(queue.sizer.isResting)
        #expect(queue.sizer.wanted == 64)
        queue.sizer.wakeWasSpurious()
        #expect(queue.sizer.wanted == 64, "all of them wait")
    }

    @Test func threadsAreReleasedAfterANeedlessWakeUp() {
        var sizer = WorkerPoolSizer(cores: 2, limit: 64)
        _ = sizer.sampled(WorkerPoolSizer.Sample(time: 1, waiting: 2, active: 2, startable: 2))
        #expect(sizer.wanted == 4)
        _ = sizer.sampled(WorkerPoolSizer.Sample(time: 1, waiting: 1, active: 4))
        sizer.wakeWasSpurious()
        #expect(sizer.wanted == 3)
    }

    /// Operations that keep all threads busy may spin until another has run.
    @Test func standstillGetsOneThreadAfterAnother() {
        var sizer = WorkerPoolSizer(cores: 2, limit: 64)
        var (active, time, calls) = (2, UInt64(0), [UInt64]())
        while calls.count < 5 {
            time += 10_000_000
            let wakeCount = sizer.sampled(
                WorkerPoolSizer.Sample(
                    time: 10_000_000,
                    busy: active,
                    used: 20_000_000,
                    active: active,
                    startable: 1
                )
            )
            #expect(wakeCount <= 1)
            if wakeCount > 0 { calls.append(time / 1_000_000) }
            active += wakeCount
            #expect(sizer.wanted >= active)
        }
        #expect(calls == [100, 300, 700, 1_500, 2_500])
        // They have finished, so a thread that the cores do not need is no longer wanted.
        _ = sizer.sampled(
            WorkerPoolSizer.Sample(
                time: 10_000_000,
                used: 20_000_000,
                active: active,
                startable: 1,
                startCount: 1
            )
        )
        #expect(sizer.wanted == 2)
    }

    /// If sampling changes nothing, the timer rarely wakes the process.
    ///
    /// 150 times a second is too often.
    @Test func looksBecomeRare() {
        var queue = Queue(work: 100)
        var count = 0
        while queue.time < 1_000_000_000 {
            queue.sample()
            count += 1
        }
        #expect(count < 135)
    }

    @Test func moreThreadsThanCoresAreNeverWantedBeyondTheLimit() {
        #expect(WorkerPoolSizer(cores: 128, limit: 64).wanted == 64)
        var queue = Queue(work: 0, concurrencyLimit: .max)
        while queue.time < 100_000_000 { queue.sample() }
        #expect(queue.active == 64)
    }

    @Test func threadsThatUseACoreOrStartManyOperationsAreNotBlocked() {
        func use(_ time: UInt64, used: UInt64, began: Int) -> Bool {
            WorkerPoolSizer.mayWait(time: time, used: used, began: began)
        }
        #expect(use(1_000_000, used: 0, began: 0))
        #expect(use(1_000_000, used: 249_999, began: 3))
        #expect(!use(1_000_000, used: 250_000, began: 0))
        #expect(!use(1_000_000, used: 0, began: 4))
        #expect(!use(249_999, used: 0, began: 0), "it has just come")
    }
}
