import Foundation
import JobKitTesting
import Synchronization
import XCTest

@testable import JobKit

// R4
/// Asking, whatever other threads do meanwhile.
final class StallStressTests: XCTestCase {
    /// What is tracked by a job other than the one asked is delivered while the one asked is told
    /// of it.
    func testDependenciesAreDeliveredElsewhereWhileTheyAreNamed() async {
        for _ in 0..<1_000 {
            let logins = (0..<10).map { HeldOperation("login \($0)") }
            let fetch = HeldOperation("fetch")
            for login in logins { fetch.addDependency(login) }
            let session = ScriptedJob("session") { job in
                for login in logins { job.track(login) }
            }
            let job = ScriptedJob("import") { $0.track(fetch) }
            session.start()
            job.start()
            for login in logins { login.start() }
            let barrier = TurnBarrier(threads: 2)
            await runOnThreads(2) { number in
                barrier.wait()
                if number == 0 {
                    for login in logins { login.finish() }
                } else {
                    while !session.isFinished { _ = job.explainStall() }
                }
            }
            job.cancel()
        }
    }
}
