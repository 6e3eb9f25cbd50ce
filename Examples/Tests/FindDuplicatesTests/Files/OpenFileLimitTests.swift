import Testing

@testable import FindDuplicates

@Suite struct OpenFileLimitTests {
    @Test(arguments: [
        (8, 1024, 8), (8, 24, 4), (8, 17, 1), (8, 3, 1), (5000, 1024, 504), (1, 3, 1),
    ])
    func widthIsNarrowedToWhatMayBeOpen(width: Int, openFiles: Int, narrowed: Int) {
        #expect(OpenFileLimit.narrowed(width, openFiles: openFiles) == narrowed)
    }
}
