import JobKitTesting
import XCTest

let job = JobController()
let upload = ConcurrentOperation()
