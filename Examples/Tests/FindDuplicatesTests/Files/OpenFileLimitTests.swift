import Testing

@testable import FindDuplicates

@Suite struct OpenFileLimitTests {
    @Test(arguments: [
        (8, 1024, 8, 64), (8, 256, 8, 29), (8, 28, 4, 2), (8, 19, 1, 2), (8, 10, 1, 2),
        (5000, 1024, 336, 2), (1, 10, 1, 2),
    ])
    func widthAndFilesFitWhatMayBeOpen(width: Int, descriptors: Int, narrowed: Int, files: Int) {
        let limit = OpenFileLimit(descriptors: descriptors)
        #expect(limit.problem == nil)
        #expect(limit.width(atMost: width) == narrowed)
        #expect(limit.filesPerTask(width: narrowed) == files)
    }

    @Test func tooFewDescriptorsAreSaid() {
        #expect(OpenFileLimit(descriptors: 9).problem?.contains("only 9") == true)
    }
}
