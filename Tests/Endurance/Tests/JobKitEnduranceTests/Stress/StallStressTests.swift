import Foundation
import JobKitTesting
import Synchronization
import XCTest

@testable import JobKit

// R4
/// Calls `explainStall` while other threads change the jobs.
final class StallStressTests: XCTestCase {
    /// A task of another job is delivered while the job's `explainStall` describes it.
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
