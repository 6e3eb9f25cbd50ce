import JobKitTesting
import XCTest

@testable import JobService

final class SharedViewsTests: XCTestCase {
    /// Several simultaneous requests cause one computation.
    func testAllWhoLookShareOneView() async {
        let views = SharedViews<Int>(interval: 3_600)
        let made = EventLog()
        let (began, release) = (Gate(), Gate())
        let first = Task {
            await views.view(of: 1) {
                began.open()
                release.wait()
                made.record("made")
                return made.events.count
            }
        }
        await began.waitUntilOpen()
        let others = (0..<50)
            .map { _ in
                Task {
                    await views.view(of: 1) {
                        made.record("made")
                        return made.events.count
                    }
                }
            }
        release.open()
        let own = await first.value
        XCTAssertEqual(own, 1)
        for other in others {
            let value = await other.value
            XCTAssertEqual(value, 1)
        }
        // Another run has a separate view.
        let second = await views.view(of: 2) { 7 }
        XCTAssertEqual(second, 7)
        XCTAssertEqual(made.events.count, 1)
    }
}
