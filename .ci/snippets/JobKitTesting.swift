import JobKitTesting
import XCTest

final class Import: JobController, @unchecked Sendable {}
