import Testing

@testable import FindDuplicates

@Suite struct BatchTests {
    @Test func nothingIsNoBatch() {
        #expect(Batch.batches(of: [Int64](), work: { $0 }) == [])
    }

    @Test func smallItemsShareABatchUntilItIsWorthATask() {
        let items = [Int64](repeating: 200, count: 7)
        #expect(Batch.batches(of: items, work: { $0 }).map(\.count) == [3, 3, 1])
    }

    @Test func largeItemIsABatchOfItsOwn() {
        #expect(Batch.batches(of: [Int64.max, .max], work: { $0 }) == [[Int64.max], [.max]])
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func randomItemsStayInOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let items = (0..<100).map { _ in Int64.random(in: 1...600, using: &generator) }
        let batches = Batch.batches(of: items) { $0 }
        #expect(batches.flatMap { $0 } == items)
        #expect(batches.dropLast().allSatisfy { $0.reduce(0, +) >= Batch.fullWork })
    }
}
