import JobKitTesting
import XCTest

final class ImportJob: JobController, @unchecked Sendable {
    let imported = 3
}
let queue = StepQueue()
let clock = ManualClock()
let job = ImportJob(queue: queue)
