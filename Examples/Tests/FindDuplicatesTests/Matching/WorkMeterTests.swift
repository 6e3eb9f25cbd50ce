import Testing

@testable import FindDuplicates

@Suite struct WorkMeterTests {
    @Test func largeFileIsToldWhileItIsRead() {
        var told: [Double] = []
        var meter = WorkMeter(total: Work.reading(2, of: 1 << 30), tell: { told.append($0) })
        for _ in 0..<(1 << 14) { meter.read(128 * 1024) }
        #expect(told.count > 100)
        #expect(told == told.sorted())
        #expect(meter.fraction > 0.99 && meter.fraction <= 1)
    }

    @Test func smallFilesAreNotToldOneByOne() {
        var told = 0
        var meter = WorkMeter(total: 500, tell: { _ in told += 1 })
        for _ in 0..<80 { meter.ended(1, remaining: 100) }
        #expect(told == 0)
    }

    @Test func whatNeedNotBeReadIsDone() {
        let candidates = Candidates(
            size: 300_000,
            files: (1...3)
                .map {
                    let stamp = FileStamp(FileIdentity(device: 1, number: UInt64($0)))
                    return ScannedFile(path: BytePath("\($0)"), size: 300_000, stamp: stamp)
                }
        )
        var meter = WorkMeter(total: candidates.work)
        meter.read(4096)
        meter.read(4096)
        #expect(meter.fraction < 0.02)
        meter.ended(2, remaining: 300_000 - 4096)
        #expect(abs(meter.fraction - 2.0 / 3) < 0.01)
        meter.ended(1, remaining: 300_000)
        #expect(meter.fraction == 1)
    }

    @Test func readingMoreThanWasKnownIsNoMoreThanTheWhole() {
        var meter = WorkMeter(total: 10)
        meter.ended(5, remaining: 1 << 20)
        #expect(meter.fraction == 1)
    }

    @Test func hugeSparseFilesAreANumber() {
        #expect(Work.reading(100_000, of: .max) == Work.most)
    }
}
