import Synchronization
import XCTest

@testable import JobKit

// J1, J5: tasks that finish on many threads reach the job once and in order, and are released.
final class JobMailboxTests: XCTestCase {
    private final class Letter: JobMail, @unchecked Sendable {
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
        let (mailbox, released) = (JobMailbox(), Tally())
        var reader = JobMailbox.Reader()
        XCTAssertNil(mailbox.takeFirst(&reader))
        for stretch in [1, 2, 5] {
            for number in 0..<stretch {
                mailbox.put(Letter(sender: 0, number: number, released: released))
            }
            XCTAssertFalse(mailbox.isEmpty)
            for number in 0..<stretch {
                XCTAssertEqual(
                    (mailbox.takeFirst(&reader)?.takeRetainedValue() as? Letter)?.number,
                    number
                )
            }
            XCTAssertTrue(mailbox.isEmpty)
            XCTAssertNil(mailbox.takeFirst(&reader))
        }
        XCTAssertEqual(released.count, 8)
    }

    func testNothingIsLostBetweenManySendersAndOneReader() async {
        let (senders, count) = (4, 20_000)
        let (mailbox, released) = (JobMailbox(), Tally())
        let letters: @Sendable (Int) -> Void = { sender in
            for number in 0..<count {
                mailbox.put(Letter(sender: sender, number: number, released: released))
            }
        }
        let read: @Sendable () -> Void = {
            var reader = JobMailbox.Reader()
            var expected = Array(repeating: 0, count: senders)
            while expected.reduce(0, +) < senders * count {
                guard let letter = mailbox.takeFirst(&reader)?.takeRetainedValue() as? Letter
                else { continue }
                XCTAssertEqual(letter.number, expected[letter.sender], "of \(letter.sender)")
                expected[letter.sender] += 1
            }
        }
        await runOnThreads(senders + 1) { $0 == senders ? read() : letters($0) }
        XCTAssertTrue(mailbox.isEmpty)
        XCTAssertEqual(released.count, senders * count)
    }
}
