import Testing

@testable import FindDuplicates

@Suite struct SearchProgressTests {
    @Test func shareNeverGoesBack() {
        var progress = SearchProgress()
        progress.workFound(10)
        progress.workDone(10, hashedBytes: 1)
        #expect(progress.share == 1)
        progress.workFound(10)
        progress.workDone(5, hashedBytes: 1)
        #expect(progress.share == 1)
    }

    @Test func shareCountsHalfWhileFoldersAreListed() {
        var progress = SearchProgress()
        progress.listingStarted()
        progress.listingStarted()
        progress.listingEnded()
        #expect(progress.isListing)
        #expect(progress.share == 0.25)
        progress.listingEnded()
        #expect(progress.isListing == false)
        #expect(progress.share == 1)
    }
}
