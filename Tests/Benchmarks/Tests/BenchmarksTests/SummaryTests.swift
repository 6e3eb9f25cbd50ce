import Testing

@testable import benchmarks

@Suite struct SummaryTests {
    @Test func medianOfAnOddNumberOfValuesIsTheMiddleOne() {
        #expect(Summary([9, 1, 5])?.median == 5)
    }

    @Test func medianOfAnEvenNumberOfValuesLiesBetweenTheMiddleOnes() {
        #expect(Summary([1, 2, 4, 100])?.median == 3)
    }

    @Test func quartilesAndExtremesOfFiveValuesAreTheValues() {
        let summary = Summary([50, 10, 40, 20, 30])
        #expect(summary?.minimum == 10)
        #expect(summary?.lowerQuartile == 20)
        #expect(summary?.upperQuartile == 40)
        #expect(summary?.maximum == 50)
        #expect(summary?.count == 5)
    }

    @Test func oneValueIsItsOwnSpread() {
        let summary = Summary([7])
        #expect(summary?.minimum == 7)
        #expect(summary?.quantile(0.99) == 7)
        #expect(summary?.maximum == 7)
    }

    @Test func nothingHasNoSummary() {
        #expect(Summary([])?.median == nil)
    }
}
