import JobKitTesting
import XCTest

let queue = TaskQueue()
