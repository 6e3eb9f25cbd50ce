import Dispatch
import XCTest

extension XCTestCase {
    /// Waits for a condition that no event reports, such as a release on another thread.
    ///
    /// It polls, and fails after five minutes. Prefer an event if there is one.
    func eventually(
        _ condition: () -> Bool,
        file: StaticString = #filePath,
        line: UInt = #line
    ) async {
        let limit = DispatchTime.now() + .seconds(300)
        while !condition() {
            guard DispatchTime.now() < limit else {
                return XCTFail("the condition never held", file: file, line: line)
            }
            await Task.yield()
        }
    }
}
