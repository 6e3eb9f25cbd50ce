import JobKitTesting
import XCTest

@testable import JobKit

// R2: the books of an observer add up under random cancels.
final class EventsAddUpStressTests: XCTestCase {
    /// Trees of jobs with tasks of every class and every cancellation, cancelled from any thread at
    /// any time: the books of an observer add up.
    func testBooksAddUpUnderRandomCancels() async {
        await forEachSeed(1...400) { random in
            let tree = ObservedTree(&random)
            let books = EventBooks()
            tree.root.addObserver(books)
            tree.root.startJob()
            let canceller = Thread { tree.disturb() }
            canceller.start()
            // The cancel may come before the start.
            await waitForFinish(ofCancelled: tree.root)
            XCTAssertEqual(books.complaints, [])
            await tree.finish()
            XCTAssertEqual(books.complaints, [])
        }
    }
}
