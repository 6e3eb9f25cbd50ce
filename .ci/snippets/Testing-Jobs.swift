// snippet "final class UploadJobTests": file
// snippet "testBusyServer": file
// snippet "testThirdFailure": file
// snippet "testSlowAttempt": members of UploadJobTests
import JobKitTesting
import XCTest

final class Upload: ConcurrentOperation, @unchecked Sendable {
    typealias Work = (_ done: @escaping @Sendable ((any Error)?) -> Void) -> Void
    let work: Work
    init(_ work: @escaping Work) { self.work = work }
    override func main() {
        work { error in if let error { self.finish(with: error) } else { self.finish() } }
    }
}
