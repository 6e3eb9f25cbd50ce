import Testing

@testable import JobKit

@Suite struct StartPaceTests {
    private let quick = StartPace.quickStart
    private var pace = StartPace()

    private mutating func isQuick(_ now: UInt64, _ startCount: Int) -> Bool {
        pace.isQuick(at: now, startCount: startCount)
    }

    @Test mutating func paceCountsFromTheLastQuestion() {
        #expect(isQuick(10 * quick - 1, 10) == true)
        #expect(isQuick(11 * quick - 1, 11) == false)
        #expect(isQuick(13 * quick - 2, 13) == true)
    }

    @Test mutating func nothingStartedIsNotQuick() {
        #expect(isQuick(0, 0) == false)
        #expect(isQuick(1, 0) == false)
    }

    /// Two workers may ask in another order than they read the clock in.
    @Test mutating func timeMayGoBack() {
        #expect(isQuick(100 * quick, 1) == false)
        #expect(isQuick(100 * quick - 1, 2) == true)
    }
}
