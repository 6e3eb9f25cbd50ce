import XCTest

extension XCTestCase {
    /// Waits until a condition holds that no event tells of, such as a release on another thread.
    func eventually(
        _ condition: () -> Bool,
        file: StaticString = #filePath,
        line: UInt = #line
    ) async {
        for _ in 0..<2_000_000 {
            if condition() { return }
            await Task.yield()
        }
        XCTFail("the condition never held", file: file, line: line)
    }
}
