import Testing

@testable import JobKit

@Suite struct TaskQueueBarriersTests {
    @Test func withoutBarriersThereIsOneEpoch() {
        var epochs = TaskQueueBarriers()
        for _ in 0..<3 { #expect(epochs.entryAdded() == epochs.current) }
        #expect(!epochs.hasBarrier)
        #expect(epochs.entryFinished(epoch: 0) == [])
    }

    @Test func barrierInAnEmptyQueueMayStartAtOnce() {
        var epochs = TaskQueueBarriers()
        #expect(epochs.barrierAdded() == epochs.current)
        #expect(epochs.entryAdded() == epochs.current + 1)
        #expect(epochs.hasBarrier)
    }

    @Test func taskOfAnExecutingJobBelongsBeforeTheBarrier() {
        var epochs = TaskQueueBarriers()
        _ = epochs.entryAdded()
        let barrier = epochs.barrierAdded()
        epochs.entryMovedToCurrent(from: epochs.entryAdded())
        _ = epochs.entryFinished(epoch: 0)
        #expect(epochs.current < barrier)
        _ = epochs.entryFinished(epoch: 0)
        #expect(epochs.current == barrier)
    }

    /// If each were removed separately from the front of all the others, this would take minutes.
    @Test(.timeLimit(.minutes(30))) func manyBarriersCostNoMoreThanFew() {
        var epochs = TaskQueueBarriers()
        for _ in 0..<length(of: 300_000) { _ = epochs.barrierAdded() }
        let inOrder = (0..<length(of: 300_000))
            .allSatisfy { epoch in
                defer { _ = epochs.entryFinished(epoch: epoch) }
                return epochs.current == epoch
            }
        #expect(inOrder)
        #expect(!epochs.hasBarrier)
    }

    /// Entries may start when nothing is left before the last barrier that precedes them.
    ///
    /// Barriers may start when no entry at all is left before them.
    @Test(arguments: 0..<rounds(of: 40)) func randomWalkKeepsTheBarriersInOrder(seed: Int) {
        struct Entry {
            let sequence: Int
            let isBarrier: Bool
            let epoch: Int
            var isParked = false
        }
        var generator = WalkGenerator(seed: UInt64(seed))
        var epochs = TaskQueueBarriers()
        var entries: [Entry] = []
        func mayStart(_ entry: Entry) -> Bool {
            !entries.contains {
                $0.sequence < entry.sequence && (entry.isBarrier || $0.isBarrier)
            }
        }
        for sequence in 0..<600 {
            if Int.random(in: 0..<100, using: &generator) < 52 {
                let isBarrier = Int.random(in: 0..<4, using: &generator) == 0
                let epoch = isBarrier ? epochs.barrierAdded() : epochs.entryAdded()
                var entry = Entry(sequence: sequence, isBarrier: isBarrier, epoch: epoch)
                if epoch != epochs.current, Bool.random(using: &generator) {
                    entry.isParked = true
                    let ticket = TaskQueueTicket(sequence: sequence, slot: 0)
                    epochs.block(ticket, epoch: epoch)
                }
                entries.append(entry)
            } else {
                let startable = entries.indices.filter { mayStart(entries[$0]) }
                guard let index = startable.randomElement(using: &generator) else { continue }
                let before = Set(entries.filter(\.isParked).filter(mayStart).map(\.sequence))
                let entry = entries.remove(at: index)
                let released = epochs.entryFinished(epoch: entry.epoch)
                let after = entries.filter(\.isParked).filter(mayStart).map(\.sequence)
                #expect(Set(released.map(\.sequence)) == Set(after).subtracting(before))
                for index in entries.indices where mayStart(entries[index]) {
                    entries[index].isParked = false
                }
            }
            #expect(entries.allSatisfy { mayStart($0) == ($0.epoch == epochs.current) })
        }
    }
}
