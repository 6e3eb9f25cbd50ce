import Testing

@testable import FindDuplicates

@Suite struct WorkPileTests {
    private func pile(of weights: [Int64], width: Int) -> WorkPile<Int64> {
        var pile = WorkPile<Int64>(fullWeight: 10, width: width)
        for weight in weights { pile.add(weight, weight: weight) }
        return pile
    }

    @Test func emptyPileGivesNothing() {
        var pile = pile(of: [], width: 1)
        #expect(pile.takeBatch(takesRest: false) == nil)
        #expect(pile.takeBatch(takesRest: true) == nil)
    }

    @Test func smallBatchGoesWhileAWorkerIsFree() {
        var pile = pile(of: [1], width: 1)
        #expect(pile.takeBatch(takesRest: false) == [1])
    }

    @Test func smallBatchWaitsWhileAllWorkersAreBusy() {
        var pile = pile(of: [1], width: 1)
        _ = pile.takeBatch(takesRest: false)
        pile.add(2, weight: 2)
        #expect(pile.takeBatch(takesRest: false) == nil)
        #expect(pile.waitingCount == 1)
        pile.batchFinished()
        #expect(pile.takeBatch(takesRest: false) == [2])
    }

    @Test func fullBatchNeverWaits() {
        var pile = pile(of: [4, 4, 4, 4], width: 1)
        #expect(pile.takeBatch(takesRest: false) == [4, 4, 4])
        pile.add(9, weight: 9)
        #expect(pile.takeBatch(takesRest: false) == [9, 4])
    }

    @Test func restGoesWhenItIsAskedFor() {
        var pile = pile(of: [6, 6, 1], width: 1)
        #expect(pile.takeBatch(takesRest: false) == [1, 6, 6])
        pile.add(1, weight: 1)
        #expect(pile.takeBatch(takesRest: true) == [1])
    }

    @Test func largeItemIsABatchOfItsOwn() {
        var pile = pile(of: [1000, 1000], width: 1)
        #expect(pile.takeBatch(takesRest: false) == [1000])
        #expect(pile.takeBatch(takesRest: false) == [1000])
        #expect(pile.batchesOut == 2)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func randomWalkLosesNothing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pile = WorkPile<Int>(fullWeight: 10, width: Int.random(in: 1...3, using: &generator))
        var (added, taken) = (0, [Int]())
        for _ in 0..<200 {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                pile.add(added, weight: .random(in: 1...12, using: &generator))
                added += 1
            case 1:
                let batch = pile.takeBatch(takesRest: .random(using: &generator)) ?? []
                taken += batch
            default:
                if pile.batchesOut > 0 { pile.batchFinished() }
            }
        }
        while let batch = pile.takeBatch(takesRest: true) { taken += batch }
        #expect(taken.sorted() == Array(0..<added))
    }
}
