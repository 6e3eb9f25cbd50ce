import JobKitTesting
import XCTest

@testable import JobKit

// R2: the accounts of an observer stay consistent under random cancellations.
final class EventsAddUpStressTests: XCTestCase {
    /// Trees of jobs with tasks of every class and every cancellation, cancelled from any thread at
    /// any time.
    ///
    /// The accounts of an observer must be consistent.
    func testBooksAddUpUnderRandomCancels() async {
        await forEachSeed(1...400) { random in
            let tree = ObservedTree(&random)
            let books = EventBooks()
            tree.root.addObserver(books)
            tree.root.startJob()
            let canceller = Thread { tree.disturb() }
            canceller.start()
            // The cancellation may come before the start.
            await waitForFinish(ofCancelled: tree.root)
            XCTAssertEqual(books.complaints, [])
            await tree.finish()
            XCTAssertEqual(books.complaints, [])
        }
    }
}
