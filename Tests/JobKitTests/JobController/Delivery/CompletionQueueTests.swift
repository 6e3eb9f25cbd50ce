import Synchronization
import XCTest

@testable import JobKit

// J1, J5: tasks that finish on many threads reach the job once and in order, and are released.
final class CompletionQueueTests: XCTestCase {
    private final class Letter: JobMessage, @unchecked Sendable {
        let sender: Int
        let number: Int
        private let released: Tally

        init(sender: Int, number: Int, released: Tally) {
            self.sender = sender
            self.number = number
            self.released = released
            super.init(isTask: false)
        }

        deinit { released.add() }
    }

    func testMessagesAreTakenInTheOrderSent() {
        let (completionQueue, released) = (CompletionQueue(), Tally())
        var reader: Unmanaged<JobMessage>?
        XCTAssertNil(completionQueue.dequeue(&reader))
        for stretch in [1, 2, 5] {
            for number in 0..<stretch {
                completionQueue.enqueue(Letter(sender: 0, number: number, released: released))
            }
            XCTAssertFalse(completionQueue.isEmpty)
            for number in 0..<stretch {
                XCTAssertEqual(
                    (completionQueue.dequeue(&reader)?.takeRetainedValue() as? Letter)?.number,
                    number
                )
            }
            XCTAssertTrue(completionQueue.isEmpty)
            XCTAssertNil(completionQueue.dequeue(&reader))
        }
        XCTAssertEqual(released.count, 8)
    }

    func testNothingIsLostBetweenManySendersAndOneReader() async {
        let (senders, count) = (4, 20_000)
        let (completionQueue, released) = (CompletionQueue(), Tally())
        let letters: @Sendable (Int) -> Void = { sender in
            for number in 0..<count {
                completionQueue.enqueue(Letter(sender: sender, number: number, released: released))
            }
        }
        let read: @Sendable () -> Void = {
            var reader: Unmanaged<JobMessage>?
            var expected = Array(repeating: 0, count: senders)
            while expected.reduce(0, +) < senders * count {
                guard let letter = completionQueue.dequeue(&reader)?.takeRetainedValue() as? Letter
                else { continue }
                XCTAssertEqual(letter.number, expected[letter.sender], "of \(letter.sender)")
                expected[letter.sender] += 1
            }
        }
        await runOnThreads(senders + 1) { $0 == senders ? read() : letters($0) }
        XCTAssertTrue(completionQueue.isEmpty)
        XCTAssertEqual(released.count, senders * count)
    }
}
